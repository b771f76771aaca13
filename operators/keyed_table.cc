#include "operators/keyed_table.h"

namespace weir {

void KeyedTable::open(const TaskContext& task, const std::string& name, std::size_t window_size, StateValues& values) {
  id_ = task.table(name);
  waker_ = task.waker;
  epoch_ = task.attempt->first_epoch;
  share_ = task.attempt->memory / 2 / std::max<std::size_t>(1, task.attempt->state->tables().size()) /
           static_cast<std::size_t>(task.parallelism);
  table_.emplace(StateTableOptions{id_, window_size, task.key_groups()}, *task.attempt->state, values);
}

void KeyedTable::trim(std::size_t value_bytes) {
  if (until_trim_-- > 0) return;
  until_trim_ = 16;
  const std::uint64_t rows = std::max<std::uint64_t>(1, table_->rows());
  const std::uint64_t row_bytes = value_bytes + table_->index_bytes() / rows;
  const std::uint64_t most = share_ / std::max<std::uint64_t>(1, row_bytes);
  if (rows > most) table_->evict(static_cast<std::size_t>(rows - most + most / 8));
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
