#include "runtime/exec/task.h"

namespace weir {

namespace {

constexpr Duration kTimeSlice = Duration::milliseconds(5);

std::uint64_t nanoseconds(Duration d) { return static_cast<std::uint64_t>(d.micros) * 1000; }

}  // namespace

ChainNode& Task::add_node(std::unique_ptr<Operator> op, std::size_t ports, TaskCounters& counters) {
  return *nodes_.emplace_back(std::make_unique<ChainNode>(std::move(op), ports, counters, *this));
}

ChannelTarget& Task::add_channels(Exchange exchange, std::vector<std::shared_ptr<Channel>> channels, int index) {
  return *channels_.emplace_back(std::make_unique<ChannelTarget>(std::move(exchange), std::move(channels), index));
}

void Task::post(std::function<void()> mail) {
  {
    std::lock_guard lock(mail_mutex_);
    mail_.push_back(std::move(mail));
  }
  wake();
}

StepResult Task::step() {
  const Duration start = clock_.steady();
  if (parked_as_) parked_as_->add(nanoseconds(start - parked_at_));
  parked_as_ = nullptr;
  const Duration end = start + kTimeSlice;
  StepResult result = StepResult::kAgain;
  Counter* reason = nullptr;
  while (true) {
    take_mail();
    if (finished_) {
      result = StepResult::kFinished;
      break;
    }
    if (!settle()) {
      reason = &times_.backpressured;
      break;
    }
    if (input_ended_) {  // all is handed on; passed_end has finished the task, or a node still waits
      reason = &times_.idle;
      break;
    }
    const InputStatus status = input_->poll_next();
    if (status == InputStatus::kEndOfInput) {
      input_ended_ = true;
      continue;
    }
    if (status == InputStatus::kNothingAvailable) {
      reason = &times_.idle;
      break;
    }
    if (clock_.steady() >= end) break;
  }
  const Duration now = clock_.steady();
  times_.busy.add(nanoseconds(now - start));
  if (!reason) return result;
  parked_as_ = reason;
  parked_at_ = now;
  return StepResult::kPark;
}

void Task::take_mail() {
  std::vector<std::function<void()>> mail;
  {
    std::lock_guard lock(mail_mutex_);
    mail.swap(mail_);
  }
  for (const auto& m : mail) m();
}

/// Moves on what the chain and the outputs hold. True if they hold nothing any more.
bool Task::settle() {
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& c : channels_) moved |= c->blocked() && c->settle();
    for (auto n = nodes_.rbegin(); n != nodes_.rend(); ++n) moved |= (*n)->has_work() && (*n)->settle();
  }
  for (const auto& c : channels_)
    if (c->blocked()) return false;
  for (const auto& n : nodes_)
    if (n->blocked()) return false;
  return true;
}

void Task::passed_barrier(Epoch epoch) {
  if (++passed_barrier_ < nodes()) return;
  passed_barrier_ = 0;
  listener_.on_snapshot(id_, epoch, std::exchange(snapshot_, {}));
}

void Task::passed_end() {
  if (++passed_end_ < nodes()) return;
  finished_ = true;
  listener_.on_finished(id_, std::move(final_));
}

}  // namespace weir
