#pragma once
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/base/ids.h"
#include "runtime/base/time.h"
#include "runtime/metrics/counters.h"
#include "runtime/state/key_group.h"
#include "runtime/state/state_store.h"

namespace weir {

/// Wakes a parked task. Copies may be used from any thread, also after the task is gone.
using Waker = std::function<void()>;

/// A few threads for calls that may block (fsync, commits, admin requests). Thread-safe.
class BlockingPool {
 public:
  virtual ~BlockingPool() = default;
  /// Runs `work` soon. What it throws ends the attempt.
  virtual void run(std::function<void()> work) = 0;
  /// True when the attempt ends: a call that waits for something outside gives up.
  virtual bool stopping() const { return false; }
};

/// What all tasks of one attempt share: one run of a job from claim to failure or end. A restart makes a new one, after
/// everything held here is destroyed.
struct AttemptContext {
  std::string job;
  RunId run;
  std::string
      home;  ///< eight hexadecimal digits: tells jobs of one name apart that keep their checkpoints in different folders
  Epoch first_epoch;  ///< the epoch that rows belong to until the first barrier after the claim
  const Clock* clock = nullptr;
  BlockingPool* blocking = nullptr;
  std::size_t memory = 0;               ///< the job's budget in bytes (`memory`)
  bool read_on = false;                 ///< `--continue`: bounded sources resolve their ends anew
  int timeout_factor = 1;               ///< multiplies transaction timeouts: doubled after a restart caused by one
  Duration checkpoint_interval{};       ///< `checkpoint.interval`
  std::optional<Duration> max_drift{};  ///< how far sources that meet may be apart in event time (`max_drift`); none: never
  CommitCounters* commits = nullptr;    ///< the job's, over all its attempts; null: nobody counts
  /// The job's state; null when no step declares tables. Tables are named `<step>/<table>`.
  StateReader* state = nullptr;
  /// The watermarks of keyed steps in the checkpoint that was restored, by step: a floor.
  std::map<std::string, Timestamp> restored_watermarks;
  int batch_rows = 2000;  ///< a reader puts at most so many rows into a batch. Larger ones cost latency, smaller ones speed
  std::size_t batch_bytes = 1 << 20;  ///< nor so many bytes, about
  /// Sources stop reading when this many rows were handed on by all of them together, and out_of_rows is called once (any
  /// thread). Only `weir test` and tests set it.
  std::atomic<std::int64_t> rows_left{std::numeric_limits<std::int64_t>::max()};
  std::function<void()> out_of_rows;
  /// Asks for a checkpoint before its time: so much has changed that memory gets short, and what epoch `epoch` holds is
  /// needed on the disk. Asking again changes nothing. Any thread; may be empty.
  std::function<void(Epoch epoch)> want_checkpoint;
  /// Says what a user should know of: `text` is one line of the log. Any thread; may be empty.
  std::function<void(const std::string& text)> note;

  /// An object shared by the components of the attempt (a producer, an embedded broker), made at its first use. Thread-safe.
  template <typename T, typename Make>
  std::shared_ptr<T> shared(const std::string& key, Make make) {
    std::lock_guard lock(mutex_);
    std::shared_ptr<void>& slot = shared_[key];
    if (!slot) slot = std::shared_ptr<T>(make());
    return std::static_pointer_cast<T>(slot);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<void>> shared_;
};

/// What an operator or reader may use inside its task. Lives as long as the task.
struct TaskContext {
  AttemptContext* attempt = nullptr;
  std::string name;  ///< the step's, source's or sink's name
  int index = 0;     ///< of the tasks of this step
  int parallelism = 1;
  Waker waker;                               ///< makes the task call resume(), on_wake() or poll_next() again
  std::function<void(Duration)> wake_after;  ///< the same, once, after that time
  TaskCounters* counters = nullptr;

  /// The id of a table that the step declared.
  StateTableId table(const std::string& table_name) const;
  /// The key groups whose rows come to this task.
  KeyGroups key_groups() const { return KeyGroups::of_task(index, parallelism); }
  /// W in the checkpoint that was restored: windows up to it have fired. Timestamp::none() if there is none.
  Timestamp restored_watermark() const;
};

}  // namespace weir
