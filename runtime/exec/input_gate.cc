#include "runtime/exec/input_gate.h"

namespace weir {

InputGate::InputGate(std::vector<Source> sources, Wanted wanted)
    : sources_(std::move(sources)),
      wanted_(std::move(wanted)),
      ended_(sources_.size()),
      aligner_(static_cast<int>(sources_.size())),
      watermarks_(static_cast<int>(sources_.size())),
      open_(static_cast<int>(sources_.size())) {
  for (const Source& s : sources_) {
    const auto input = static_cast<std::size_t>(s.input);
    if (open_of_input_.size() <= input) open_of_input_.resize(input + 1);
    ++open_of_input_[input];
  }
}

InputStatus InputGate::poll_next(Merged& merged) {
  if (!also_.empty()) {
    merged = std::move(also_.front());
    also_.erase(also_.begin());
    return InputStatus::kMoreAvailable;
  }
  if (open_ == 0) return InputStatus::kEndOfInput;
  const int n = static_cast<int>(sources_.size());
  for (int tried = 0; tried < n;) {
    const int index = next_;
    const auto i = static_cast<std::size_t>(index);
    next_ = (next_ + 1) % n;
    std::optional<Element> element;
    if (!ended_[i] && !aligner_.held(index))
      element = sources_[i].channel->pop(may_read_rows(sources_[i].input) ? Channel::Pop::kAny : Channel::Pop::kControl);
    if (!element) {
      ++tried;
      continue;
    }
    if (hand_on(index, std::move(*element), merged)) return InputStatus::kMoreAvailable;
    if (open_ == 0 && also_.empty()) return InputStatus::kEndOfInput;
    tried = 0;  // an element was used up without a result: look at all channels again
  }
  return InputStatus::kNothingAvailable;
}

/// Takes in an element of a channel. True if something is to be handed on.
bool InputGate::hand_on(int index, Element element, Merged& merged) {
  if (auto* batch = std::get_if<BatchPtr>(&element)) {
    watermarks_.on_active(index);
    idle_ = false;
    merged = {std::move(*batch), sources_[static_cast<std::size_t>(index)].input};
    return true;
  }
  if (const auto* w = std::get_if<Watermark>(&element)) {
    const auto risen = watermarks_.on_watermark(index, w->time);
    idle_ = false;
    if (risen) merged.element = Watermark{*risen};
    return risen.has_value();
  }
  if (const auto* barrier = std::get_if<Barrier>(&element)) {
    const auto epoch = aligner_.on_barrier(index, barrier->epoch);
    if (epoch) merged.element = Barrier{*epoch};
    return epoch.has_value();
  }
  if (std::holds_alternative<Idle>(element)) {
    const auto risen = watermarks_.on_idle(index);
    const bool idle = watermarks_.idle() && !std::exchange(idle_, watermarks_.idle());
    if (risen) {
      merged.element = Watermark{*risen};
      if (idle) also_.push_back({Idle{}});
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
  const int input = sources_[static_cast<std::size_t>(index)].input;
  std::vector<Merged> results;
  if (--open_of_input_[static_cast<std::size_t>(input)] == 0 && open_ > 0) results.push_back({InputEnd{}, input});
  if (const auto risen = watermarks_.on_end(index)) results.push_back({Watermark{*risen}});
  if (open_ > 0 && watermarks_.idle() && !std::exchange(idle_, true)) results.push_back({Idle{}});
  if (const auto epoch = aligner_.on_end(index)) results.push_back({Barrier{*epoch}});
  if (results.empty()) return false;
  merged = std::move(results.front());
  also_.assign(std::make_move_iterator(results.begin() + 1), std::make_move_iterator(results.end()));
  return true;
}

}  // namespace weir
