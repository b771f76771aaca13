#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace weir {

/// A number that one thread adds to and any may read.
class Counter {
 public:
  void add(std::uint64_t n) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  void set(std::uint64_t n) { value_.store(n, std::memory_order_relaxed); }
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Counters of a component's own. They are shown by name where counters are shown, the sum over its tasks if it is not zero.
class NamedCounters {
 public:
  /// The counter of that name (a lower case word or two: `duplicates`), made at the first use; it lives as long as this.
  /// Ask once, in open().
  Counter& operator[](const std::string& name) {
    std::lock_guard lock(mutex_);
    return counters_[name];
  }
  void add_to(std::map<std::string, std::uint64_t>& sums) const {
    std::lock_guard lock(mutex_);
    for (const auto& [name, counter] : counters_) sums[name] += counter.get();
  }

 private:
  mutable std::mutex mutex_;  ///< guards which there are
  std::map<std::string, Counter> counters_;
};

/// What one component (source, step or sink) did inside one task. Written by the task's thread.
struct TaskCounters {
  Counter rows_in;      ///< steps and sinks: rows taken (counted by the task); sources: records read
  Counter rows_out;     ///< sources and steps: rows handed on (counted by the task); sinks: rows acknowledged outside
  Counter bytes;        ///< sources and sinks: bytes of the records
  Counter errors;       ///< rows that followed on_error skip or emit
  Counter late;         ///< steps: rows that came too late for a window
  Counter lag;          ///< sources: records known to be there and not yet read
  Counter state_rows;   ///< keyed steps: rows of state in memory, now
  Counter state_bytes;  ///< keyed steps: memory of these rows, about
  Counter state_reads;  ///< keyed steps: rows that had to be read from the disk
  Counter freeze;       ///< keyed steps: nanoseconds that the last barrier took the task to freeze its rows
  NamedCounters own;    ///< what only this step counts
};

/// What became of a job's transactions since the program began. Written by whoever ends them, one at a time.
struct CommitCounters {
  Counter committed;
  Counter aborted;      ///< given up by the job itself or by the broker
  Counter last_micros;  ///< how long the last commit took, until the broker had answered
};

/// Where the time of one task goes, in nanoseconds.
struct TaskTimes {
  Counter busy;
  Counter idle;
  Counter backpressured;
};

}  // namespace weir
