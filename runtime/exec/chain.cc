#include "runtime/exec/chain.h"

#include "runtime/api/exchange_groups.h"
#include "runtime/exec/key_groups.h"

namespace weir {

void Ports::broadcast(const Element& control) const {
  for (const auto& port : targets_)
    for (const Edge& e : port) e.target->offer(control, e.input);
}

bool Ports::blocked() const {
  for (const auto& port : targets_)
    for (const Edge& e : port)
      if (e.target->blocked()) return true;
  return false;
}

void ChainNode::offer(Element element, int input) {
  inbox_.push_back({std::move(element), input});
  drain();
}

bool ChainNode::settle() {
  bool moved = false;
  if (half_way_) {
    const bool may_resume = progress_ == Progress::kWait ? woken_->exchange(false) : !ports_.blocked();
    if (!may_resume) return false;
    moved = true;
    const Progress progress = call([&] { return operator_->resume(*this); });
    half_way_ = false;
    finish(progress, std::move(control_));
  }
  return drain() || moved;
}

/// Calls the operator; what it emits may come back to this node only when it is done.
template <typename Call>
Progress ChainNode::call(const Call& call) {
  working_ = true;
  const Progress progress = call();
  working_ = false;
  return progress;
}

/// Works on what waits, until the operator is half-way or its output full. True if anything moved.
bool ChainNode::drain() {
  if (working_) return false;  // called from within the operator: the loop below goes on with it
  bool moved = false;
  while (!half_way_ && !ports_.blocked()) {
    // A full barrier: the operator must not look at what it waits for before a waker that is used from now on is heard.
    if (woken_->exchange(false) && !ended_) finish(call([&] { return operator_->on_wake(*this); }), BatchPtr());
    else if (inbox_.empty()) return moved;
    else work(take_first());
    moved = true;
  }
  return moved;
}

ChainNode::Waiting ChainNode::take_first() {
  Waiting first = std::move(inbox_.front());
  inbox_.pop_front();
  return first;
}

void ChainNode::work(Waiting waiting) {
  Element& element = waiting.element;
  Progress progress = Progress::kDone;
  Element control = BatchPtr();
  if (auto* batch = std::get_if<BatchPtr>(&element)) {
    counters_.rows_in.add(static_cast<std::uint64_t>((*batch)->rows()));
    progress = call([&] { return operator_->process(waiting.input, std::move(*batch), *this); });
  } else if (std::holds_alternative<InputEnd>(element)) {
    progress = call([&] { return operator_->on_input_end(waiting.input, *this); });
  } else {
    if (const auto* w = std::get_if<Watermark>(&element))
      progress = call([&] { return operator_->on_watermark(w->time, *this); });
    else if (const auto* b = std::get_if<Barrier>(&element))
      progress = call([&] { return operator_->on_barrier(b->epoch, *this); });
    else if (std::holds_alternative<End>(element)) progress = call([&] { return operator_->on_end(*this); });
    control = std::move(element);
  }
  finish(progress, std::move(control));
}

void ChainNode::finish(Progress progress, Element control) {
  progress_ = progress;
  if (progress != Progress::kDone) {
    half_way_ = true;
    control_ = std::move(control);
    return;
  }
  if (!std::holds_alternative<BatchPtr>(control)) pass_on(control);
}

void ChainNode::pass_on(const Element& control) {
  if (const auto* b = std::get_if<Barrier>(&control)) {
    operator_->snapshot(listener_.barrier_snapshot());
    listener_.passed_barrier(b->epoch);
  } else if (std::holds_alternative<End>(control)) {
    ended_ = true;
    operator_->snapshot(listener_.final_snapshot());
    listener_.passed_end();
  } else if (const auto* w = std::get_if<Watermark>(&control)) {
    return ports_.broadcast(Watermark{operator_->output_watermark(w->time)});
  }
  ports_.broadcast(control);
}

void ChainNode::emit(int port, BatchPtr batch) {
  if (!batch || batch->rows() == 0) return;
  counters_.rows_out.add(static_cast<std::uint64_t>(batch->rows()));
  ports_.emit(port, batch);
}

void ChannelTarget::offer(Element element, int /*input*/) {
  auto* batch = std::get_if<BatchPtr>(&element);
  if (!batch) {
    for (std::size_t c = 0; c < channels_.size(); ++c) send(c, element);
    return;
  }
  switch (exchange_.kind) {
    case Exchange::Kind::kForward: return send(static_cast<std::size_t>(next_) % channels_.size(), std::move(element));
    case Exchange::Kind::kRebalance: return send(static_cast<std::size_t>(next_++) % channels_.size(), std::move(element));
    case Exchange::Kind::kHash:
      if (channels_.size() == 1) return send(0, std::move(element));
      return split_by_hash(*batch);
  }
}

void ChannelTarget::split_by_hash(const BatchPtr& batch) {
  std::vector<std::uint8_t> groups;
  exchange_groups(exchange_, *batch, groups);
  const int tasks = static_cast<int>(channels_.size());
  std::vector<std::vector<std::int32_t>> rows(channels_.size());
  for (std::size_t i = 0; i < groups.size(); ++i)
    rows[static_cast<std::size_t>(task_of_group(groups[i], tasks))].push_back(static_cast<std::int32_t>(i));
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    if (rows[c].empty()) continue;
    send(c, rows[c].size() == groups.size() ? batch : take(*batch, rows[c]));
  }
}

void ChannelTarget::send(std::size_t c, Element element) {
  if (!kept_[c].empty()) {
    kept_[c].push_back(std::move(element));
    ++kept_count_;
    return;
  }
  if (auto* batch = std::get_if<BatchPtr>(&element)) {
    if (channels_[c]->try_push(*batch)) return;
    kept_[c].push_back(std::move(element));
    ++kept_count_;
  } else {
    channels_[c]->push_control(std::move(element));
  }
}

bool ChannelTarget::settle() {
  bool moved = false;
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    while (!kept_[c].empty()) {
      if (auto* batch = std::get_if<BatchPtr>(&kept_[c].front())) {
        if (!channels_[c]->try_push(*batch)) break;
      } else {
        channels_[c]->push_control(std::move(kept_[c].front()));
      }
      kept_[c].pop_front();
      --kept_count_;
      moved = true;
    }
  }
  return moved;
}

}  // namespace weir
