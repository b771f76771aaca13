#include "runtime/exec/input_gate.h"

namespace weir {

InputGate::InputGate(std::vector<Source> sources)
    : sources_(std::move(sources)),
      ended_(sources_.size()),
      aligner_(static_cast<int>(sources_.size())),
      watermarks_(static_cast<int>(sources_.size())),
      open_(static_cast<int>(sources_.size())) {}

InputStatus InputGate::poll_next(Merged& merged) {
  if (!also_.empty()) {
    merged.element = std::move(also_.front());
    also_.erase(also_.begin());
    return InputStatus::kMoreAvailable;
  }
  if (open_ == 0) return InputStatus::kEndOfInput;
  const int n = static_cast<int>(sources_.size());
  for (int tried = 0; tried < n;) {
    const int index = next_;
    const auto i = static_cast<std::size_t>(index);
    if (ended_[i] || aligner_.held(index) || sources_[i].channel->empty()) {
      next_ = (next_ + 1) % n;
      ++tried;
      continue;
    }
    const bool handed = take(index, merged);
    next_ = (next_ + 1) % n;
    if (handed) return InputStatus::kMoreAvailable;
    if (open_ == 0 && also_.empty()) return InputStatus::kEndOfInput;
    tried = 0;  // an element was used up without a result: look at all channels again
  }
  return InputStatus::kNothingAvailable;
}

/// Takes one element of a channel. True if something is to be handed on.
bool InputGate::take(int index, Merged& merged) {
  const Source& source = sources_[static_cast<std::size_t>(index)];
  std::optional<Element> element = source.channel->pop();
  if (!element) return false;
  if (auto* batch = std::get_if<BatchPtr>(&*element)) {
    watermarks_.on_active(index);
    idle_ = false;
    merged = {std::move(*batch), source.input};
    return true;
  }
  if (const auto* w = std::get_if<Watermark>(&*element)) {
    const auto risen = watermarks_.on_watermark(index, w->time);
    idle_ = false;
    if (risen) merged.element = Watermark{*risen};
    return risen.has_value();
  }
  if (const auto* barrier = std::get_if<Barrier>(&*element)) {
    const auto epoch = aligner_.on_barrier(index, barrier->epoch);
    if (epoch) merged.element = Barrier{*epoch};
    return epoch.has_value();
  }
  if (std::holds_alternative<Idle>(*element)) {
    const auto risen = watermarks_.on_idle(index);
    const bool idle = watermarks_.idle() && !std::exchange(idle_, watermarks_.idle());
    if (risen) {
      merged.element = Watermark{*risen};
      if (idle) also_.push_back(Idle{});
      return true;
    }
    if (idle) merged.element = Idle{};
    return idle;
  }
  return on_end(index, merged);
}

bool InputGate::on_end(int index, Merged& merged) {
  ended_[static_cast<std::size_t>(index)] = true;
  --open_;
  std::vector<Element> results;
  if (const auto risen = watermarks_.on_end(index)) results.push_back(Watermark{*risen});
  if (open_ > 0 && watermarks_.idle() && !std::exchange(idle_, true)) results.push_back(Idle{});
  if (const auto epoch = aligner_.on_end(index)) results.push_back(Barrier{*epoch});
  if (results.empty()) return false;
  merged.element = std::move(results.front());
  also_.assign(std::make_move_iterator(results.begin() + 1), std::make_move_iterator(results.end()));
  return true;
}

}  // namespace weir
