#include "runtime/exec/simulated_executor.h"

namespace weir {

SimulatedExecutor::SimulatedExecutor(std::uint64_t seed) : random_(seed) {
  // Some seeds starve a lane, as a slow disk or a busy machine does.
  for (std::uint64_t& weight : weights_) weight = std::uint64_t{1} << pick(6);
}

std::uint64_t SimulatedExecutor::pick(std::uint64_t n) { return random_() % n; }

void SimulatedExecutor::post(Lane lane, std::function<void()> work) {
  due_[static_cast<std::size_t>(lane)].push_back(std::move(work));
}

void SimulatedExecutor::after(Lane lane, Duration delay, std::function<void()> work) {
  timers_.emplace(now_ + std::max<std::int64_t>(0, delay.micros), Timer{lane, std::move(work)});
}

Duration SimulatedExecutor::look() {
  now_ += static_cast<std::int64_t>(pick(4) == 0 ? pick(4'000) : pick(20));
  return {now_};
}

/// Lets the timers go that are due by then, in their order.
void SimulatedExecutor::move_timers(Duration until) {
  while (!timers_.empty() && timers_.begin()->first <= until.micros) {
    Timer timer = std::move(timers_.extract(timers_.begin()).mapped());
    post(timer.lane, std::move(timer.work));
  }
}

/// The weights of the lanes that may run.
std::uint64_t SimulatedExecutor::turns() const {
  std::uint64_t all = 0;
  for (std::size_t lane = 0; lane < due_.size(); ++lane) all += may_run(lane) ? weights_[lane] : 0;
  return all;
}

/// Runs what a thread could take next: of the control lane the first, of the others any, for they have several threads.
bool SimulatedExecutor::run_one() {
  move_timers({now_});
  if (turns() == 0 && !timers_.empty()) move_timers({now_ = timers_.begin()->first});
  if (turns() == 0) return false;
  std::uint64_t chosen = pick(turns());
  std::size_t lane = 0;
  for (; !may_run(lane) || chosen >= weights_[lane]; ++lane) chosen -= may_run(lane) ? weights_[lane] : 0;
  run(lane);
  return true;
}

void SimulatedExecutor::run(std::size_t lane) {
  auto& queue = due_[lane];
  const std::size_t at = lane == kControlLane ? 0 : pick(queue.size());
  const std::function<void()> work = std::move(queue[at]);
  queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(at));
  if (lane == kControlLane) deciding_ = true;
  work();
  if (lane == kControlLane) deciding_ = false;
}

bool SimulatedExecutor::run_until(const std::function<bool()>& holds, Duration limit) {
  const std::int64_t end = now_ + limit.micros;
  while (!holds())
    if (now_ > end || !run_one()) return false;
  return true;
}

}  // namespace weir
