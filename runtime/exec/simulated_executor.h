#pragma once
#include <array>
#include <deque>
#include <map>
#include <random>

#include "runtime/exec/executor.h"

namespace weir {

/// Runs work on the thread that calls run_one(): a seed picks what runs next among all that threads could run next, and how
/// long everything takes. The same seed gives the same run.
///
/// Time stands until somebody looks at the clock, and jumps to the next timer when nothing else is left. Each look moves it
/// on by up to some milliseconds, so that time slices end and delays pass while there is work. Work that calls run_one()
/// itself lets other threads get on meanwhile.
///
/// Not thread-safe.
class SimulatedExecutor final : public Executor {
 public:
  explicit SimulatedExecutor(std::uint64_t seed);

  void post(Lane lane, std::function<void()> work) override;
  void after(Lane lane, Duration delay, std::function<void()> work) override;
  const Clock& clock() const override { return clock_; }

  /// Runs one piece of work. False if there is none that may run, nor a timer.
  bool run_one();
  /// Runs until `holds`. False if it does not when nothing is left, or after `limit`.
  bool run_until(const std::function<bool()>& holds, Duration limit = Duration::seconds(24 * 3600));
  /// A number below `n`, from the seed.
  std::uint64_t pick(std::uint64_t n);

 private:
  /// Begins at 2024-01-01T00:00:00Z.
  class SimulatedClock final : public Clock {
   public:
    explicit SimulatedClock(SimulatedExecutor& executor) : executor_(executor) {}
    Timestamp now() const override { return Timestamp{1'704'067'200'000'000} + steady(); }
    Duration steady() const override { return executor_.look(); }

   private:
    SimulatedExecutor& executor_;
  };
  struct Timer {
    Lane lane;
    std::function<void()> work;
  };
  Duration look();
  void move_timers(Duration until);
  void run(std::size_t lane);
  std::uint64_t turns() const;
  bool may_run(std::size_t lane) const { return !due_[lane].empty() && (lane != kControlLane || !deciding_); }

  static constexpr auto kControlLane = static_cast<std::size_t>(Lane::kControl);
  std::mt19937_64 random_;
  SimulatedClock clock_{*this};
  std::int64_t now_ = 0;                                  ///< microseconds
  std::array<std::uint64_t, 4> weights_;                  ///< how often each lane has its turn
  bool deciding_ = false;                                 ///< the control lane's thread is at work
  std::array<std::deque<std::function<void()>>, 4> due_;  ///< by lane
  std::multimap<std::int64_t, Timer> timers_;             ///< by the time at which they are due
};

}  // namespace weir
