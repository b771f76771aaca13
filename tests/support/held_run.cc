#include "tests/support/held_run.h"

#include <stdexcept>

#include "runtime/api/exchange_groups.h"
#include "runtime/state/state_table.h"
#include "tests/support/batches.h"
#include "tests/support/declared_rows.h"

namespace weir {
namespace {

/// Takes rows down; full every now and then.
class Collector final : public Output {
 public:
  Collector(const BoundStep& step, EmittedRows& rows, std::mt19937& random) : step_(step), rows_(rows), random_(random) {}
  void emit(int port, BatchPtr batch) override {
    for (std::string& row : rows_of(*batch))
      rows_[step_.ports()[static_cast<std::size_t>(port)].name].push_back(std::move(row));
  }
  bool full() const override { return random_() % 3 == 0; }

 private:
  const BoundStep& step_;
  EmittedRows& rows_;
  std::mt19937& random_;
};

}  // namespace

struct HeldRun::Task {
  Task(HeldRun& run, int index, int parallelism)
      : surroundings(run.attempt_, "step", index, parallelism),
        op(run.step_.create(run.attempt_.context())),
        out(run.step_, run.now_.emitted, run.random_) {
    op->open(surroundings.context());
  }
  TestTask surroundings;
  std::unique_ptr<Operator> op;
  Collector out;
};

HeldRun::HeldRun(const BoundStep& step, unsigned seed) : step_(step), random_(seed), store_(table_names(step)) {}
HeldRun::~HeldRun() = default;

void HeldRun::begin() {
  static int runs = 0;
  attempt_.start_again(fmt::format("{:08}11111111", ++runs), epoch_);
  AttemptContext& context = attempt_.context();
  context.state = &store_;
  context.restored_watermarks = now_.watermarks;
  if (pick(2)) context.memory = 0;
  const int parallelism = 1 + pick(3);
  for (int i = 0; i < parallelism; ++i) tasks_.push_back(std::make_unique<Task>(*this, i, parallelism));
  for (std::size_t i = 0; i < now_.inputs.size(); ++i)
    if (now_.inputs[i].ended) tell_end(static_cast<int>(i));
}

/// Goes on with a call until it is done. A task that waits for a commit gets it.
template <typename F>
void HeldRun::call(Task& task, const F& first) {
  for (Progress progress = first(); progress != Progress::kDone; progress = task.op->resume(task.out)) {
    if (progress != Progress::kWait) continue;
    if (!pending_) throw std::runtime_error("answers kWait while no epoch is in flight");
    ++waits;
    ingest();
    tell();
    if (!task.surroundings.wait_woken()) throw std::runtime_error("answers kWait and is not woken");
  }
}

void HeldRun::feed(const Given& given) {
  if (given.rows) return feed_rows(given);
  Input& input = now_.inputs[static_cast<std::size_t>(given.input)];
  input.ended |= given.ends;
  input.idle = given.idle;
  if (given.ends) tell_end(given.input);
  const bool watermark = !given.ends && !given.idle;
  if (watermark) input.watermark = std::max(input.watermark, given.watermark);
  if (now_.inputs.size() > 1 ? !raise_watermark() : !watermark) return;
  const Timestamp w = now_.inputs.size() > 1 ? now_.merged : given.watermark;
  for (auto& t : tasks_) call(*t, [&] { return t->op->on_watermark(w, t->out); });
}

void HeldRun::tell_end(int input) {
  if (std::all_of(now_.inputs.begin(), now_.inputs.end(), [](const Input& i) { return i.ended; })) return;
  for (auto& t : tasks_) call(*t, [&] { return t->op->on_input_end(input, t->out); });
}

/// Merges the watermarks of inputs that are neither idle nor ended. True if that rose.
bool HeldRun::raise_watermark() {
  std::optional<Timestamp> least;
  for (const Input& i : now_.inputs)
    if (!i.idle && !i.ended && (!least || i.watermark < *least)) least = i.watermark;
  if (!least || *least <= now_.merged) return false;
  now_.merged = *least;
  return true;
}

void HeldRun::feed_rows(const Given& given) {
  now_.inputs[static_cast<std::size_t>(given.input)].idle = false;
  const Exchange exchange = step_.exchange(given.input);
  if (exchange.kind != Exchange::Kind::kHash) {  // from whichever task it came
    Task& t = *tasks_[static_cast<std::size_t>(pick(static_cast<int>(tasks_.size())))];
    return call(t, [&] { return t.op->process(given.input, given.rows, t.out); });
  }
  std::vector<std::uint8_t> groups;
  exchange_groups(exchange, *given.rows, groups);
  for (int i = 0; i < static_cast<int>(tasks_.size()); ++i) {
    const KeyGroups mine = KeyGroups::of_task(i, static_cast<int>(tasks_.size()));
    std::vector<std::int32_t> rows;
    for (std::size_t r = 0; r < groups.size(); ++r)
      if (groups[r] >= mine.first && groups[r] <= mine.last) rows.push_back(static_cast<std::int32_t>(r));
    Task& t = *tasks_[static_cast<std::size_t>(i)];
    if (!rows.empty()) call(t, [&] { return t.op->process(given.input, take(*given.rows, rows), t.out); });
  }
}

void HeldRun::barrier(std::size_t next) {
  pending_.emplace();
  pending_->epoch = epoch_;
  for (auto& t : tasks_) {
    call(*t, [&] { return t->op->on_barrier(epoch_, t->out); });
    TaskSnapshot snapshot;
    t->op->snapshot(snapshot);
    for (const auto& w : snapshot.watermarks) now_.watermarks[w.step] = w.watermark;
    pending_->frozen.insert(pending_->frozen.end(), snapshot.frozen.begin(), snapshot.frozen.end());
  }
  epoch_ = epoch_.next();
  now_.next = next;
  pending_->point = now_;
}

void HeldRun::ingest() {
  if (!pending_ || pending_->ingested) return;
  EpochDelta delta{pending_->epoch, std::vector<std::vector<TableDelta>>(store_.tables().size())};
  for (const TaskSnapshot::Frozen& f : pending_->frozen) delta.tables[f.table.value].push_back(f.rows->encode());
  store_.ingest(delta);
  pending_->ingested = true;
  committed_ = pending_->point;
}

void HeldRun::tell() {
  if (!pending_) return;
  const Epoch epoch = pending_->epoch;
  pending_.reset();
  for (auto& t : tasks_) t->op->on_committed(epoch);
}

void HeldRun::crash() {
  ++crashes;
  if (pending_ && !pending_->ingested) ++held;
  if (pending_ && pending_->ingested) ++ingested_untold;
  tasks_.clear();
  pending_.reset();
  now_ = committed_;
  begin();
}

EmittedRows HeldRun::run(const std::vector<Given>& given) {
  std::size_t inputs = 1;
  for (const Given& g : given) inputs = std::max(inputs, static_cast<std::size_t>(g.input) + 1);
  now_.inputs = committed_.inputs = std::vector<Input>(inputs);
  begin();
  int crashes_left = 1 + pick(6);
  for (now_.next = 0; now_.next < given.size();) {
    feed(given[now_.next++]);
    for (int events = pick(4); events > 0; --events) {
      if (!pending_) barrier(now_.next);
      else if (pick(3) == 0) pending_->ingested ? tell() : ingest();
      if (crashes_left > 0 && pick(5) == 0) --crashes_left, crash();
    }
  }
  for (auto& t : tasks_) call(*t, [&] { return t->op->on_end(t->out); });
  ingest();
  tell();
  barrier(given.size());
  ingest();
  tell();
  return std::move(now_.emitted);
}

}  // namespace weir
