#include "tests/support/hostile_harness.h"

#include <optional>
#include <stdexcept>

#include "runtime/state/state_table.h"
#include "tests/runtime/state/map_store.h"
#include "tests/support/batches.h"
#include "tests/support/declared_rows.h"
#include "tests/support/sanitizers.h"
#include "tests/support/test_task.h"

namespace weir {
namespace {

/// What happens between any two inputs.
enum class Between {
  kNothing,
  kBarriers,  ///< a barrier and a snapshot, which is committed after the next input
  kRestarts,  ///< a barrier, a snapshot, and a fresh instance
};

/// One way to run the same input.
struct Way {
  std::int64_t batch_rows;  ///< 0: as given
  bool refuses;             ///< the output is full every other time it is asked
  Between between;

  std::string name() const {
    return fmt::format("batches {}, output {}, {}", batch_rows ? fmt::format("of {}", batch_rows) : "as given",
                       refuses ? "full every other time" : "never full",
                       between == Between::kRestarts   ? "restarted between inputs"
                       : between == Between::kBarriers ? "barriers between inputs"
                                                       : "one instance");
  }
};

void check(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

void check_fits(const RecordBatch& batch, const Port& port) {
  const Schema& schema = *port.schema;
  check(static_cast<int>(batch.columns().size()) == schema.size(),
        "a batch with another number of columns than port '" + port.name + "'");
  for (int i = 0; i < schema.size(); ++i) {
    check(batch.column(i).type() == schema[i].type,
          fmt::format("column {} is {}", schema[i].name, batch.column(i).type().name()));
    check(batch.column(i).size() == batch.rows(),
          fmt::format("column {} has {} rows of {}", schema[i].name, batch.column(i).size(), batch.rows()));
    check(schema[i].nullable || batch.column(i).null_count() == 0, fmt::format("column {} has nulls", schema[i].name));
  }
  check(*batch.schema() == schema, "a batch of another schema than port '" + port.name + "'");
  check(static_cast<std::int64_t>(batch.kinds().size()) == (schema.changelog() ? batch.rows() : 0),
        "row kinds do not fit the schema");
}

class HostileOutput final : public Output {
 public:
  HostileOutput(const std::vector<Port>& ports, bool refuses)
      : ports_(ports), refuses_(refuses), may_emit_(ports.size(), true) {}

  void emit(int port, BatchPtr batch) override {
    check(port >= 0 && port < static_cast<int>(ports_.size()), fmt::format("emits to port {} of {}", port, ports_.size()));
    check(batch != nullptr, "emits no batch");
    check(may_emit_[static_cast<std::size_t>(port)],
          fmt::format("emits a second batch to port {} without asking whether the output is full", port));
    may_emit_[static_cast<std::size_t>(port)] = false;
    if (batch->rows() == 0) return;
    check(batch->bytes() <= kMuch + 3 * largest_,
          fmt::format("emits a batch of {} bytes, the largest it was given has {}", batch->bytes(), largest_));
    check_fits(*batch, ports_[static_cast<std::size_t>(port)]);
    std::vector<std::string>& rows = emitted_[ports_[static_cast<std::size_t>(port)].name];
    for (std::string& row : rows_of(*batch)) rows.push_back(std::move(row));
  }

  bool full() const override {
    was_full_ = refuses_ && ++asked_ % 2 == 1;
    if (!was_full_) may_emit_.assign(ports_.size(), true);
    return was_full_;
  }

  void begin_call() {
    was_full_ = false;
    may_emit_.assign(ports_.size(), true);
  }
  /// The operator is given a batch.
  void given(const RecordBatch& batch) { largest_ = std::max(largest_, batch.bytes()); }
  bool was_full() const { return was_full_; }
  EmittedRows take() { return std::move(emitted_); }

 private:
  static constexpr std::size_t kMuch = 4 << 20;

  const std::vector<Port>& ports_;
  bool refuses_;
  std::size_t largest_ = 0;
  mutable int asked_ = 0;
  mutable bool was_full_ = false;
  mutable std::vector<bool> may_emit_;
  EmittedRows emitted_;
};

class HostileRun {
 public:
  HostileRun(const BoundStep& step, Way way)
      : step_(step), way_(way), declared_(step), out_(step.ports(), way.refuses), store_(table_names(step)) {
    start();
  }

  EmittedRows run(const std::vector<Given>& given) {
    for (const Given& g : given) {
      if (g.rows) declared_.check_exchange(g.input, *g.rows->schema());
      if (g.ends) {
        call([&] { return operator_->on_input_end(g.input, out_); });
        between();
        continue;
      }
      if (!g.rows) {
        call([&] { return operator_->on_watermark(g.watermark, out_); });
        between();
        continue;
      }
      const std::int64_t size = way_.batch_rows ? way_.batch_rows : g.rows->rows();
      for (std::int64_t begin = 0; begin < g.rows->rows(); begin += size) {
        const std::int64_t rows = std::min(size, g.rows->rows() - begin);
        const BatchPtr batch = rows == g.rows->rows() ? g.rows : slice(*g.rows, begin, rows);
        out_.given(*batch);
        call([&] { return operator_->process(g.input, batch, out_); });
        between();
      }
    }
    call([&] { return operator_->on_end(out_); });
    check(!pending_ || pending_->second.empty(),
          "is done at the end while a delta is in flight, which the last one follows");
    commit();
    hand_in();
    commit();
    attempt_.pool.settle();
    return out_.take();
  }

 private:
  template <typename F>
  auto timed(const F& f) {
    struct Timer {
      std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
      ~Timer() noexcept(false) {
        if (std::uncaught_exceptions() == 0)
          check(std::chrono::steady_clock::now() - start < std::chrono::seconds(kSanitized ? 20 : 1), "a call blocks");
      }
    } timer;
    return f();
  }

  /// Every instance is one of an attempt of its own, as after a restart of the job.
  void start() {
    static int runs = 0;
    attempt_.start_again(fmt::format("{:08}00000000", ++runs), epoch_);
    attempt_.context().state = &store_;
    if (way_.refuses)
      attempt_.context().memory = 0;  // rows are forgotten as soon as they may be, and changes wait for commits
    attempt_.context().restored_watermarks = watermarks_;
    task_ = std::make_unique<TestTask>(attempt_, "step");
    operator_ = step_.create(attempt_.context());
    timed([&] { operator_->open(task_->context()); });
  }

  void between() {
    if (way_.between == Between::kNothing) return;
    barrier();
    if (way_.between == Between::kBarriers) return;
    commit();
    operator_.reset();
    task_.reset();
    start();
  }

  void barrier() {
    commit();
    if (epoch_.value % 3 == 0) epoch_ = epoch_.next();  // numbers rise, and some are left out
    call([&] { return operator_->on_barrier(epoch_, out_); });
    hand_in();
  }

  /// Takes the snapshot of a barrier that was passed, or of the end.
  void hand_in() {
    TaskSnapshot snapshot;
    timed([&] { operator_->snapshot(snapshot); });
    for (const auto& w : snapshot.watermarks) watermarks_[w.step] = w.watermark;
    for (const TaskSnapshot::Frozen& f : snapshot.frozen)
      check(f.rows->epoch() == epoch_, fmt::format("froze epoch {} at barrier {}", f.rows->epoch().value, epoch_.value));
    pending_ = std::pair(epoch_, std::move(snapshot.frozen));
    epoch_ = epoch_.next();
  }

  /// Ingests what the last barrier froze, and tells the operator.
  void commit() {
    if (!pending_) return;
    EpochDelta delta{pending_->first, std::vector<std::vector<TableDelta>>(store_.tables().size())};
    for (const TaskSnapshot::Frozen& f : pending_->second) {
      TableDelta encoded = f.rows->encode();
      declared_.check(f.table.value, encoded);
      delta.tables[f.table.value].push_back(std::move(encoded));
    }
    store_.ingest(delta);
    const Epoch epoch = pending_->first;
    pending_.reset();
    timed([&] { operator_->on_committed(epoch); });
  }

  /// Makes a call and goes on with it until it is done.
  void call(const std::function<Progress()>& first) {
    out_.begin_call();
    Progress progress = timed(first);
    while (progress != Progress::kDone) {
      if (progress == Progress::kMore) check(out_.was_full(), "answers kMore though the output was not full");
      if (progress == Progress::kWait) commit();
      if (progress == Progress::kWait) check(task_->wait_woken(), "answers kWait and is not woken");
      out_.begin_call();
      progress = timed([&] { return operator_->resume(out_); });
    }
  }

  const BoundStep& step_;
  Way way_;
  DeclaredRows declared_;
  TestAttempt attempt_;
  HostileOutput out_;
  std::unique_ptr<TestTask> task_;
  std::unique_ptr<Operator> operator_;
  Epoch epoch_{1};
  MapStore store_;
  std::map<std::string, Timestamp> watermarks_;
  std::optional<std::pair<Epoch, std::vector<TaskSnapshot::Frozen>>> pending_;
};

}  // namespace

EmittedRows run_hostile(const BoundStep& step, const std::vector<Given>& given) {
  std::optional<EmittedRows> expected;
  for (const std::int64_t batch_rows : {0, 1024, 3, 1}) {
    for (const bool refuses : {false, true}) {
      for (const Between between : {Between::kNothing, Between::kBarriers, Between::kRestarts}) {
        const Way way{batch_rows, refuses, between};
        try {
          EmittedRows rows = HostileRun(step, way).run(given);
          if (!expected) expected = rows;
          check(rows == *expected, "other rows than with batches as given and one instance");
        } catch (const std::runtime_error& e) {
          throw std::runtime_error(fmt::format("{}: {}", way.name(), e.what()));
        }
      }
    }
  }
  return *expected;
}

EmittedRows run_hostile(const BoundStep& step, BatchPtr rows) { return run_hostile(step, {Given{std::move(rows)}}); }

}  // namespace weir
