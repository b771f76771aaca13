#include "operators/keyed_table.h"

namespace weir {

void KeyedTable::open(const TaskContext& task, const std::string& name, std::size_t window_size, StateValues& values) {
  id_ = task.table(name);
  waker_ = task.waker;
  epoch_ = task.attempt->first_epoch;
  table_.emplace(StateTableOptions{id_, window_size, task.key_groups()}, *task.attempt->state, values);
}

Progress KeyedTable::on_end() {
  waits_ = in_flight_.has_value();
  return waits_ ? Progress::kWait : Progress::kDone;
}

void KeyedTable::snapshot(TaskSnapshot& snapshot) {
  if (in_flight_) return;  // after the end nothing changes any more
  const auto frozen = table_->freeze(epoch_);
  if (frozen->empty()) {
    table_->ingested(epoch_);
  } else {
    snapshot.frozen.push_back({id_, frozen});
    in_flight_ = epoch_;
  }
  epoch_ = epoch_.next();
}

void KeyedTable::on_committed(Epoch epoch) {
  if (!in_flight_ || epoch < *in_flight_) return;
  table_->ingested(*in_flight_);
  in_flight_.reset();
  if (waits_) waker_();
}

}  // namespace weir
