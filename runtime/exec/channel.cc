#include "runtime/exec/channel.h"

namespace weir {

bool Channel::try_push(const BatchPtr& batch) {
  const std::size_t bytes = batch->bytes();
  bool was_empty;
  {
    std::lock_guard lock(mutex_);
    if (batches_ >= most_batches_ || (batches_ > 0 && bytes > most_bytes_ - std::min(most_bytes_, bytes_))) {
      refused_ = true;
      return false;
    }
    was_empty = elements_.empty();
    elements_.emplace_back(batch);
    ++batches_;
    bytes_ += bytes;
  }
  if (was_empty && readable_) readable_();
  return true;
}

void Channel::push_control(Element control) {
  {
    std::lock_guard lock(mutex_);
    const auto* w = std::get_if<Watermark>(&control);
    const bool last = w && w->time == Timestamp::infinity();  // the one before it is a floor if the job reads on
    if (w && !last && !elements_.empty() && std::holds_alternative<Watermark>(elements_.back()))
      elements_.back() = std::move(control);
    else elements_.push_back(std::move(control));
  }
  // Also when it was not empty: the reader may be parked because it holds this channel's first element back.
  if (readable_) readable_();
}

std::optional<Element> Channel::pop(Pop what) {
  std::optional<Element> element;
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    if (elements_.empty()) return std::nullopt;
    if (what == Pop::kControl && std::holds_alternative<BatchPtr>(elements_.front())) return std::nullopt;
    element = std::move(elements_.front());
    elements_.pop_front();
    if (const auto* batch = std::get_if<BatchPtr>(&*element)) {
      --batches_;
      bytes_ -= (*batch)->bytes();
      wake = std::exchange(refused_, false);
    }
  }
  if (wake && writable_) writable_();
  return element;
}

bool Channel::empty() const {
  std::lock_guard lock(mutex_);
  return elements_.empty();
}

}  // namespace weir
