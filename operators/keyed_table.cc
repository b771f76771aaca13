#include "operators/keyed_table.h"

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

KeyedTable::~KeyedTable() {
  if (budget_) budget_->change(bytes_, 0);
}

void KeyedTable::open(const TaskContext& task, const std::string& name, std::size_t window_size, StateValues& values) {
  id_ = task.table(name);
  name_ = task.name + "/" + name;
  attempt_ = task.attempt;
  counters_ = task.counters;
  waker_ = task.waker;
  epoch_ = task.attempt->first_epoch;
  budget_ = attempt_->shared<StateBudget>("state budget", [&] {
    return std::make_shared<StateBudget>(memory_for_rows(attempt_->memory),
                                         attempt_->state->tables().size() * static_cast<std::size_t>(task.parallelism));
  });
  table_.emplace(StateTableOptions{id_, window_size, task.key_groups()}, *task.attempt->state, values);
}

RoomPlan KeyedTable::shrink(std::uint64_t slot_bytes) {
  StateMemory memory = table_->memory(slot_bytes);
  const RoomPlan plan = plan_room(memory, budget_->share(bytes_));
  if (plan.evict > 0 && table_->evict(static_cast<std::size_t>(plan.evict)) > 0) memory = table_->memory(slot_bytes);
  budget_->change(bytes_, memory.bytes());
  bytes_ = memory.bytes();
  publish(counters_->state_rows, published_.rows, memory.rows);
  publish(counters_->state_bytes, published_.row_bytes, bytes_);
  publish(counters_->state_reads, reads_, table_->store_reads());
  if (plan.want_checkpoint && asked_for_ < epoch_ && attempt_->want_checkpoint)
    attempt_->want_checkpoint(asked_for_ = epoch_);
  return plan;
}

Progress KeyedTable::make_room(std::uint64_t slot_bytes) {
  if (!shrink(slot_bytes).wait || !in_flight_) return Progress::kDone;
  say_waiting();
  return on_end();
}

void KeyedTable::say_waiting() {
  const Duration now = attempt_->clock->steady();
  if (!attempt_->note || (said_at_.micros != 0 && now - said_at_ < kSilence)) return;
  said_at_ = now;
  attempt_->note(
      fmt::format("{}: waiting for checkpoint {}, the changed rows fill their part of the memory: {} rows, {} MiB (a larger "
                  "`memory` or a "
                  "faster disk helps; said once a minute at most)",
                  name_, in_flight_->value, table_->dirty() + table_->in_flight(), bytes_ >> 20));
}

Progress KeyedTable::on_end() {
  waits_ = in_flight_.has_value();
  return waits_ ? Progress::kWait : Progress::kDone;
}

void KeyedTable::snapshot(TaskSnapshot& snapshot) {
  if (in_flight_) return;  // after the end nothing changes any more
  const Duration begun = attempt_->clock->steady();
  const auto frozen = table_->freeze(epoch_);
  if (frozen->empty()) {
    table_->ingested(epoch_);
  } else {
    snapshot.frozen.push_back({id_, frozen});
    in_flight_ = epoch_;
  }
  const auto took = static_cast<std::uint64_t>((attempt_->clock->steady() - begun).micros) * 1000;
  counters_->freeze.set(took + (counters_->frozen_epoch.get() == epoch_.value ? counters_->freeze.get() : 0));
  counters_->frozen_epoch.set(epoch_.value);
  epoch_ = epoch_.next();
}

void KeyedTable::on_committed(Epoch epoch) {
  if (!in_flight_ || epoch < *in_flight_) return;
  table_->ingested(*in_flight_);
  in_flight_.reset();
  if (waits_) waker_();
}

}  // namespace weir
