#include "operators/keyed_state.h"

#include "runtime/base/error.h"

namespace weir {

void KeyedState::open(const TaskContext& task) {
  task_ = &task;
  epoch_ = task.attempt->first_epoch;
  watermark_.open(task);
  std::vector<bool> opened(declared_.size());
  for (KeptTable* table : tables_) {
    std::size_t i = 0;
    while (i < declared_.size() && declared_[i].name != table->name()) ++i;
    if (i == declared_.size() || opened[i])
      throw Error(Blame::kBug, fmt::format("table {}/{} is not declared, or is there twice", task.name, table->name()));
    opened[i] = true;
    table->open(task, declared_[i], parts_);
  }
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (!opened[i])
      throw Error(Blame::kBug, fmt::format("table {}/{} is declared and not there", task.name, declared_[i].name));
}

Progress KeyedState::wait_for_commit() {
  Progress progress = Progress::kDone;
  for (KeptTable* t : tables_)
    if (t->wait_for_commit() == Progress::kWait) progress = Progress::kWait;
  return progress;
}

Progress KeyedState::make_room() {
  Progress progress = Progress::kDone;
  for (KeptTable* t : tables_)
    if (t->make_room() == Progress::kWait) progress = Progress::kWait;
  return progress;
}

void KeyedState::snapshot(TaskSnapshot& snapshot) {
  const Duration begun = task_->attempt->clock->steady();
  for (KeptTable* t : tables_) t->snapshot(epoch_, snapshot);
  watermark_.snapshot(snapshot);
  epoch_ = epoch_.next();
  task_->counters->freeze.set(static_cast<std::uint64_t>((task_->attempt->clock->steady() - begun).micros) * 1000);
}

void KeyedState::on_committed(Epoch epoch) {
  for (KeptTable* t : tables_) t->on_committed(epoch);
}

}  // namespace weir
