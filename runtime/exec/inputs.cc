#include "runtime/exec/inputs.h"

namespace weir {

InputStatus GateInput::poll_next() {
  InputGate::Merged merged;
  const InputStatus status = gate_.poll_next(merged);
  if (status == InputStatus::kMoreAvailable) first_.offer(std::move(merged.element), merged.input);
  if (status == InputStatus::kEndOfInput) first_.offer(End{}, 0);
  return status;
}

InputStatus SourceInput::poll_next() {
  if (stopped_) return InputStatus::kNothingAvailable;
  const InputStatus status = reader_->poll_next(*this);
  if (status != InputStatus::kNothingAvailable) moves_.add(1);
  if (status == InputStatus::kEndOfInput) {
    ended_ = true;
    listener_.final_snapshot().splits = reader_->splits();
    listener_.passed_end();
    ports_.broadcast(Watermark{Timestamp::infinity()});
    ports_.broadcast(End{});
  }
  return status;
}

void SourceInput::trigger(Epoch epoch, bool last) {
  if (ended_) return;  // its final snapshot answers
  stopped_ |= last;
  listener_.barrier_snapshot().splits = reader_->splits();
  uncommitted_.emplace_back(epoch, listener_.barrier_snapshot().splits);
  listener_.passed_barrier(epoch);
  ports_.broadcast(Barrier{epoch});
}

void SourceInput::on_committed(Epoch epoch) {
  for (auto& [e, splits] : uncommitted_)
    if (e == epoch) reader_->on_committed(epoch, splits);
  std::erase_if(uncommitted_, [&](const auto& u) { return u.first <= epoch; });
  if (ended_) reader_->on_committed(epoch, reader_->splits());
}

void SourceInput::emit(const SplitState& /*split*/, BatchPtr batch) {
  if (!batch || batch->rows() == 0) return;
  counters_.rows_out.add(static_cast<std::uint64_t>(batch->rows()));
  ports_.emit(0, batch);
}

void SourceInput::emit_errors(BatchPtr batch) {
  if (batch && batch->rows()) ports_.emit(1, batch);
}

void SourceInput::caught_up(const SplitState& /*split*/) {}

}  // namespace weir
