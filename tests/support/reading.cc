#include "tests/support/reading.h"

#include <stdexcept>

#include "tests/support/batches.h"

namespace weir {

void CollectedRows::emit(const SplitState&, BatchPtr batch) {
  if (!batch || batch->rows() == 0) throw std::runtime_error("a reader emits an empty batch");
  for (std::string& row : rows_of(*batch)) rows.push_back(std::move(row));
  batches.push_back(std::move(batch));
}

void CollectedRows::emit_errors(BatchPtr batch) {
  if (!batch || batch->rows() == 0) throw std::runtime_error("a reader emits an empty batch of errors");
  for (std::string& row : rows_of(*batch)) errors.push_back(std::move(row));
}

InputStatus poll_something(SourceReader& reader, TestAttempt& attempt, TestTask& task, CollectedRows& out) {
  while (true) {
    const auto start = std::chrono::steady_clock::now();
    const InputStatus status = reader.poll_next(out);
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(1)) throw std::runtime_error("poll_next blocks");
    if (status != InputStatus::kNothingAvailable) return status;
    if (const auto pause = task.take_wake_after()) {
      attempt.clock.advance(*pause);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else if (!task.wait_woken()) {
      throw std::runtime_error("nothing is available, and the reader is not woken");
    }
  }
}

void read_to_end(SourceReader& reader, TestAttempt& attempt, TestTask& task, CollectedRows& out) {
  while (poll_something(reader, attempt, task, out) != InputStatus::kEndOfInput) {
  }
}

CollectedRows read_all(const BoundSource& source, TestAttempt& attempt) {
  TestTask task(attempt, "source");
  const auto reader = source.create_reader(attempt.context());
  reader->open(task.context());
  reader->add_splits(source.create_enumerator(attempt.context())->discover({}));
  reader->no_more_splits();
  CollectedRows out;
  read_to_end(*reader, attempt, task, out);
  return out;
}

}  // namespace weir
