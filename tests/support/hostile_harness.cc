#include "tests/support/hostile_harness.h"

#include <deque>
#include <optional>
#include <random>
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

/// What an input is behind its last element, while the other goes on.
enum class AtEnd { kOpen, kEnded, kIdle };

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
    for (const Given& g : given) inputs_.resize(std::max(inputs_.size(), static_cast<std::size_t>(g.input) + 1));
    for (const Given& g : given) {
      if (g.rows) declared_.check_exchange(g.input, *g.rows->schema());
      inputs_[static_cast<std::size_t>(g.input)].waiting.push_back(g);
      feed(false);
    }
    while (anything_waits()) end_an_input();
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

  /// An input, as the task's gate sees it.
  struct Input {
    std::deque<Given> waiting;  ///< rows that the operator does not want now, and what is behind them
    Timestamp watermark = Timestamp::none();
    bool idle = false, ended = false;
  };

  bool anything_waits() const {
    return std::any_of(inputs_.begin(), inputs_.end(), [](const Input& i) { return !i.waiting.empty(); });
  }

  /// Gives the operator what it wants of what came, or with `all` everything.
  void feed(bool all) {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        std::deque<Given>& waiting = inputs_[i].waiting;
        if (waiting.empty()) continue;
        if (!all && inputs_.size() > 1 && waiting.front().rows && !operator_->wants(static_cast<int>(i))) continue;
        const Given next = std::move(waiting.front());
        waiting.pop_front();
        take_in(next);
        moved = true;
      }
    }
  }

  /// Everything came: an input without rows ends, so that the operator wants those of another.
  void end_an_input() {
    const auto done =
        std::find_if(inputs_.begin(), inputs_.end(), [](const Input& i) { return i.waiting.empty() && !i.ended; });
    if (done != inputs_.end()) {
      take_in({.input = static_cast<int>(done - inputs_.begin()), .ends = true});
    } else {
      check(task_->wait_woken(), "wants no input that has rows, and is not woken");
      call([&] { return operator_->on_wake(out_); });
    }
    feed(false);
  }

  void take_in(const Given& g) {
    if (way_.refuses || task_->wait_woken(std::chrono::milliseconds(0))) call([&] { return operator_->on_wake(out_); });
    Input& input = inputs_[static_cast<std::size_t>(g.input)];
    if (g.rows) return take_in_rows(g);
    if (g.ends) {
      input.ended = true;
      tell_end(g.input);
    }
    input.idle = g.idle;
    const bool watermark = !g.ends && !g.idle;
    if (watermark) input.watermark = std::max(input.watermark, g.watermark);
    if (inputs_.size() > 1 ? raise_watermark() : watermark)
      call([&] { return operator_->on_watermark(inputs_.size() == 1 ? g.watermark : merged_, out_); });
    between();
  }

  void take_in_rows(const Given& g) {
    inputs_[static_cast<std::size_t>(g.input)].idle = false;
    const std::int64_t size = way_.batch_rows ? way_.batch_rows : g.rows->rows();
    for (std::int64_t begin = 0; begin < g.rows->rows(); begin += size) {
      const std::int64_t rows = std::min(size, g.rows->rows() - begin);
      const BatchPtr batch = rows == g.rows->rows() ? g.rows : slice(*g.rows, begin, rows);
      out_.given(*batch);
      call([&] { return operator_->process(g.input, batch, out_); });
      between();
    }
  }

  void tell_end(int input) {
    const bool open = std::any_of(inputs_.begin(), inputs_.end(), [](const Input& i) { return !i.ended; });
    if (open) call([&] { return operator_->on_input_end(input, out_); });
  }

  /// Merges the watermarks of inputs that are neither idle nor ended. True if that rose.
  bool raise_watermark() {
    std::optional<Timestamp> least;
    for (const Input& i : inputs_)
      if (!i.idle && !i.ended && (!least || i.watermark < *least)) least = i.watermark;
    if (!least || *least <= merged_) return false;
    merged_ = *least;
    return true;
  }

  void between() {
    if (way_.between == Between::kNothing) return;
    if (!std::exchange(fetching_, true)) {
      feed(true);  // the barrier waits for rows in front of it, wanted or not
      fetching_ = false;
    }
    barrier();
    if (way_.between == Between::kBarriers) return;
    commit();
    operator_.reset();
    task_.reset();
    start();
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].ended) tell_end(static_cast<int>(i));
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
  std::vector<Input> inputs_;
  Timestamp merged_ = Timestamp::none();
  bool fetching_ = false;
  std::optional<std::pair<Epoch, std::vector<TaskSnapshot::Frozen>>> pending_;
};

}  // namespace

namespace {

/// Runs a way, and says in which one something was found.
EmittedRows run_way(const BoundStep& step, const std::vector<Given>& given, const Way& way) {
  try {
    return HostileRun(step, way).run(given);
  } catch (const std::runtime_error& e) {
    throw std::runtime_error(fmt::format("{}: {}", way.name(), e.what()));
  }
}

std::vector<Way> ways(const std::vector<std::int64_t>& batch_rows) {
  std::vector<Way> all;
  for (const std::int64_t rows : batch_rows)
    for (const bool refuses : {false, true})
      for (const Between between : {Between::kNothing, Between::kBarriers, Between::kRestarts})
        all.push_back({rows, refuses, between});
  return all;
}

}  // namespace

EmittedRows run_hostile(const BoundStep& step, const std::vector<Given>& given) {
  std::optional<EmittedRows> expected;
  for (const Way& way : ways({0, 1024, 3, 1})) {
    EmittedRows rows = run_way(step, given, way);
    if (!expected) expected = rows;
    check(rows == *expected, way.name() + ": other rows than with batches as given and one instance");
  }
  return *expected;
}

EmittedRows run_hostile(const BoundStep& step, BatchPtr rows) { return run_hostile(step, {Given{std::move(rows)}}); }

Table table_of(const std::vector<std::string>& rows) {
  Table table;
  for (const std::string& row : rows) {
    const bool change = row.size() > 3 && (row[0] == '+' || row[0] == '-') && row[2] == ' ';
    const std::string text = change ? row.substr(3) : row;
    int& count = table[text] += change && row[0] == '-' ? -1 : 1;
    check(count >= 0, "retracts a row that is not there: " + row);
    if (count == 0) table.erase(text);
  }
  return table;
}

namespace {

/// The orders in which what comes in two inputs may mix: all of them if they are few, else some by chance. `true`: the
/// second input is next.
std::vector<std::vector<bool>> orders_of(std::size_t first, std::size_t second, std::mt19937& random) {
  constexpr std::size_t kAll = 80, kSome = 40;
  std::vector<bool> order(first + second);
  std::fill(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(), true);
  std::vector<std::vector<bool>> orders;
  do orders.push_back(order);
  while (orders.size() <= kAll && std::next_permutation(order.begin(), order.end()));
  if (orders.size() <= kAll) return orders;
  orders.resize(1);
  while (orders.size() < kSome) {
    std::shuffle(order.begin(), order.end(), random);
    orders.push_back(order);
  }
  return orders;
}

/// One order of two inputs; behind its last element an input may end, or become idle, while the other goes on.
std::vector<Given> mix(const std::array<std::vector<Given>, 2>& inputs, const std::vector<bool>& order, AtEnd at_end) {
  std::vector<Given> mixed;
  std::array<std::size_t, 2> next{};
  for (const bool second : order) {
    const std::size_t i = second ? 1 : 0;
    mixed.push_back(inputs[i][next[i]++]);
    mixed.back().input = static_cast<int>(i);
    if (next[i] < inputs[i].size() || at_end == AtEnd::kOpen) continue;
    mixed.push_back({.input = static_cast<int>(i), .ends = at_end == AtEnd::kEnded, .idle = at_end == AtEnd::kIdle});
  }
  return mixed;
}

}  // namespace

Table run_interleaved(const BoundStep& step, const std::array<std::vector<Given>, 2>& inputs) {
  std::mt19937 random(1);
  std::optional<Table> expected;
  for (const std::vector<bool>& order : orders_of(inputs[0].size(), inputs[1].size(), random)) {
    for (const AtEnd at_end : {AtEnd::kOpen, AtEnd::kEnded, AtEnd::kIdle}) {
      const std::vector<Given> given = mix(inputs, order, at_end);
      for (const Way& way : ways({0, 1})) {
        const Table table = table_of(run_way(step, given, way)[""]);
        if (!expected) expected = table;
        if (table == *expected) continue;
        std::string text = way.name() + ": another table than in the first order of inputs:";
        for (const bool second : order) text += second ? " 1" : " 0";
        for (const auto& [row, count] : table) text += fmt::format("\n  {} x {}", count, row);
        text += "\n expected:";
        for (const auto& [row, count] : *expected) text += fmt::format("\n  {} x {}", count, row);
        throw std::runtime_error(text);
      }
    }
  }
  return *expected;
}

}  // namespace weir
