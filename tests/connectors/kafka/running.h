#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/api/operator.h"
#include "tests/support/batches.h"
#include "tests/support/reading.h"

namespace weir {

/// Collects what a sink emits: rows of its errors stream.
class EmittedRowsOfSink final : public Output {
 public:
  void emit(int, BatchPtr batch) override {
    for (std::string& row : rows_of(*batch)) rows.push_back(std::move(row));
  }
  bool full() const override { return false; }
  std::vector<std::string> rows;
};

/// One task of a sink.
class RunningSink {
 public:
  RunningSink(const BoundStep& sink, TestAttempt& attempt, int index = 0)
      : attempt_(attempt), task_(attempt, "out", index), operator_(sink.create(attempt.context())) {
    operator_->open(task_.context());
  }

  void write(const BatchPtr& batch) { finish(operator_->process(0, batch, out_)); }
  /// Waits until all is acknowledged.
  void barrier() { finish(operator_->on_barrier(Epoch{1}, out_)); }
  void end() { finish(operator_->on_end(out_)); }
  const std::vector<std::string>& errors() const { return out_.rows; }
  const TaskCounters& counters() const { return task_.counters; }

 private:
  void finish(Progress p) {
    while (p == Progress::kWait) {
      if (!task_.wait_woken()) throw std::runtime_error("the sink waits and is not woken");
      p = operator_->resume(out_);
    }
    if (p != Progress::kDone) throw std::runtime_error("a sink that is not done");
    attempt_.pool.settle();
  }

  TestAttempt& attempt_;
  TestTask task_;
  EmittedRowsOfSink out_;
  std::unique_ptr<Operator> operator_;
};

/// Writes batches in one task and waits until all is acknowledged. Returns the rows of the errors stream.
inline std::vector<std::string> write_all(const BoundStep& sink, TestAttempt& attempt,
                                          const std::vector<BatchPtr>& batches) {
  RunningSink running(sink, attempt);
  for (const BatchPtr& batch : batches) running.write(batch);
  running.barrier();
  running.end();
  return running.errors();
}

/// One task of a source that reads given splits.
class RunningSource {
 public:
  RunningSource(const BoundSource& source, TestAttempt& attempt, std::vector<SplitState> splits)
      : attempt_(attempt), task_(attempt, "in"), reader_(source.create_reader(attempt.context())) {
    reader_->open(task_.context());
    reader_->add_splits(std::move(splits));
  }
  /// Reads until the source has handed on so many rows.
  void read(std::size_t rows) {
    while (out.rows.size() < rows) poll_something(*reader_, attempt_, task_, out);
  }
  void read_to_end() {
    reader_->no_more_splits();
    weir::read_to_end(*reader_, attempt_, task_, out);
  }
  SourceReader& reader() { return *reader_; }
  InputStatus poll() { return reader_->poll_next(out); }
  const TaskCounters& counters() const { return task_.counters; }

  CollectedRows out;

 private:
  TestAttempt& attempt_;
  TestTask task_;
  std::unique_ptr<SourceReader> reader_;
};

/// The splits of a new job.
inline std::vector<SplitState> discover(const BoundSource& source, TestAttempt& attempt) {
  return source.create_enumerator(attempt.context())->discover({});
}

/// The splits of a checkpoint as a restart finds them.
inline std::vector<SplitState> restore(const BoundSource& source, TestAttempt& attempt, std::vector<SplitState> splits) {
  return source.create_enumerator(attempt.context())->restore(std::move(splits));
}

}  // namespace weir
