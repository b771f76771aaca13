#include "operators/keyed_state.h"
#include "runtime/state/row_codec.h"

namespace weir {
namespace {

/// Rows that wait are mentioned at most so often.
constexpr Duration kSilence = Duration::seconds(60);

/// Brings a table's part of a task's counter up to date: a step may have several tables.
void publish(Counter& counter, std::uint64_t& part, std::uint64_t now) {
  counter.set(counter.get() - part + now);
  part = now;
}

}  // namespace

template <typename Table>
BasicKeyedTable<Table>::BasicKeyedTable(KeyedState& state, std::string name, StateValues& values, std::uint64_t slot_bytes)
    : name_(std::move(name)), values_(values), slot_bytes_(slot_bytes) {
  state.add(*this);
}

template <typename Table>
BasicKeyedTable<Table>::~BasicKeyedTable() {
  if (budget_) budget_->change(bytes_, 0);
}

template <typename Table>
void BasicKeyedTable<Table>::open(const TaskContext& task, const TableDeclaration& declaration, std::size_t parts) {
  id_ = task.table(name_);
  step_ = task.name;
  attempt_ = task.attempt;
  counters_ = task.counters;
  waker_ = task.waker;
  next_epoch_ = task.attempt->first_epoch;
  budget_ = attempt_->shared<StateBudget>("state budget", [&] {
    return std::make_shared<StateBudget>(memory_for_rows(attempt_->memory),
                                         attempt_->state->tables().size() * static_cast<std::size_t>(task.parallelism));
  });
  const std::size_t window_size = declaration.window.size() * window_name(0).size();
  StateTableOptions options{id_, window_size, task.key_groups()};
  if constexpr (std::is_same_v<Table, RowSets>)
    for (std::size_t i = 0; i < parts; ++i) options.set_key.push_back(declaration.key[i].type);
  table_.emplace(options, *task.attempt->state, values_);
}

template <typename Table>
RoomPlan BasicKeyedTable<Table>::shrink() {
  StateMemory memory = table_->memory(slot_bytes_);
  const RoomPlan plan = plan_room(memory, budget_->share(bytes_));
  if (plan.evict > 0 && table_->evict(static_cast<std::size_t>(plan.evict)) > 0) memory = table_->memory(slot_bytes_);
  budget_->change(bytes_, memory.bytes());
  bytes_ = memory.bytes();
  publish(counters_->state_rows, published_.rows, memory.rows);
  publish(counters_->state_bytes, published_.row_bytes, bytes_);
  publish(counters_->state_reads, reads_, table_->store_reads());
  if (plan.want_checkpoint && asked_for_ < next_epoch_ && attempt_->want_checkpoint)
    attempt_->want_checkpoint(asked_for_ = next_epoch_);
  return plan;
}

template <typename Table>
Progress BasicKeyedTable<Table>::make_room() {
  if (!shrink().wait || !in_flight_) return Progress::kDone;
  say_waiting();
  return wait_for_commit();
}

template <typename Table>
void BasicKeyedTable<Table>::say_waiting() {
  const Duration now = attempt_->clock->steady();
  if (!attempt_->note || (said_at_.micros != 0 && now - said_at_ < kSilence)) return;
  said_at_ = now;
  attempt_->note(fmt::format(
      "{}/{}: waiting for checkpoint {}, the changed rows fill their part of the memory: {} rows, {} MiB (a larger "
      "`memory` or a "
      "faster disk helps; said once a minute at most)",
      step_, name_, in_flight_->value, table_->dirty() + table_->in_flight(), bytes_ >> 20));
}

template <typename Table>
Progress BasicKeyedTable<Table>::wait_for_commit() {
  waits_ = in_flight_.has_value();
  return waits_ ? Progress::kWait : Progress::kDone;
}

template <typename Table>
void BasicKeyedTable<Table>::snapshot(Epoch epoch, TaskSnapshot& snapshot) {
  const auto frozen = table_->freeze(epoch);
  if (frozen->empty()) {
    table_->ingested(epoch);
  } else {
    snapshot.frozen.push_back({id_, frozen});
    in_flight_ = epoch;
  }
  next_epoch_ = epoch.next();
}

template <typename Table>
void BasicKeyedTable<Table>::on_committed(Epoch epoch) {
  if (!in_flight_ || epoch < *in_flight_) return;
  table_->ingested(*in_flight_);
  in_flight_.reset();
  if (waits_) waker_();
}

template class BasicKeyedTable<StateTable>;
template class BasicKeyedTable<RowSets>;

}  // namespace weir
