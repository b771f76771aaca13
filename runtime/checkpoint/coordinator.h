#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "runtime/api/commit_authority.h"
#include "runtime/api/context.h"
#include "runtime/checkpoint/folder.h"
#include "runtime/checkpoint/manifest.h"
#include "runtime/state/state_store.h"

namespace weir {

/// What the coordinator asks of the running tasks.
class CheckpointParticipants {
 public:
  virtual ~CheckpointParticipants() = default;
  /// Source tasks send barrier `epoch`; with `last` they read nothing after it.
  virtual void trigger(Epoch epoch, bool last) = 0;
  virtual void committed(Epoch epoch) = 0;
  /// Changes whenever a position moved.
  virtual std::uint64_t moves() const = 0;
};

/// What the coordinator reports.
class CheckpointObserver {
 public:
  virtual ~CheckpointObserver() = default;
  virtual void on_checkpoint(const Manifest& manifest) = 0;
  /// The last checkpoint is committed: the job's end (`finished`), or the one asked for by finish().
  virtual void on_done(bool finished) = 0;
};

struct CoordinatorOptions {
  // What changes results or guarantees.
  int retain = 3;  ///< committed checkpoints kept
  // For the manifest.
  std::vector<std::string> sources;  ///< source names, by number
  std::vector<int> source_of_task;   ///< by task: the number of its source, or -1
};

/// Takes aligned checkpoints of the running tasks: triggers barriers, collects what the tasks hand in, writes the
/// checkpoint, lets the authority commit it, tells the tasks. One epoch at a time: N+1 is not triggered before N is
/// committed.
///
/// A task whose input ended counts with its final snapshot from the first epoch it did not pass a barrier of. When all have
/// ended, a last checkpoint is marked `finished`.
///
/// All members are called on one strand; what blocks runs on the pool and comes back through `post`. What goes wrong there
/// ends the attempt through the pool: a checkpoint that fails cannot be skipped.
class Coordinator {
 public:
  /// `base` holds what all manifests of this run share (job, run, authority, sinks, keyed steps with their tables). `first`:
  /// the epoch in progress. `store`: the job's state, or null.
  Coordinator(CoordinatorOptions options, Manifest base, Epoch first, CheckpointFolder& folder, CommitAuthority& authority,
              CheckpointParticipants& participants, CheckpointObserver& observer, BlockingPool& pool,
              std::function<void(std::function<void()>)> post, const Clock& clock, StateStore* store);

  /// Starts a checkpoint unless nothing moved or ended since the last; when one is under way, behind it: with one that
  /// takes longer than the interval, checkpoints follow one another.
  void tick();
  /// Starts one early if the authority says that it is due. Called a few times a second.
  void hurry();
  /// Epoch `epoch` is wanted early, because memory gets short: it is triggered now, or when the one before it is committed.
  void want(Epoch epoch);
  /// Takes a last checkpoint as soon as possible; tasks read nothing after it. Then on_done(false).
  void finish();
  void on_snapshot(int task, Epoch epoch, TaskSnapshot snapshot);
  void on_finished(int task, TaskSnapshot snapshot);

  /// The checkpoint that is under way, for those who wait for it.
  struct UnderWay {
    Epoch epoch;
    Duration since;          ///< the steady time of its trigger
    std::vector<int> tasks;  ///< that have not passed its barrier; none: all have
    const char* doing;       ///< then: what is done for it
  };
  std::optional<UnderWay> under_way() const;

 private:
  struct TaskState {
    std::optional<TaskSnapshot> snapshot;  ///< for the epoch in progress
    std::optional<TaskSnapshot> ended;     ///< its final one; without parts and rows once it is counted
    bool counted = false;                  ///< the final snapshot is part of a triggered epoch
    void count_end();                      ///< makes the final snapshot that of the epoch in progress
  };
  void begin(bool last);
  void check_complete();
  /// What the tasks handed in for the epoch in progress.
  struct Collected {
    Manifest manifest;
    std::vector<TaskSnapshot::Frozen> frozen;
  };
  Collected collect();
  void write(Collected collected);
  void write_state(const Collected& collected, CheckpointWriter& writer, Manifest& manifest);
  void warn_if_slow(const Manifest& manifest) const;
  void on_committed(const Manifest& manifest);
  void on_expired(const Manifest& manifest);
  bool all_ended() const;
  Timestamp watermark_of(std::size_t source) const;

  const CoordinatorOptions options_;
  const Manifest base_;
  CheckpointFolder& folder_;
  CommitAuthority& authority_;
  CheckpointParticipants& participants_;
  CheckpointObserver& observer_;
  BlockingPool& pool_;
  const std::function<void(std::function<void()>)> post_;
  const Clock& clock_;
  StateStore* const store_;

  std::vector<TaskState> tasks_;
  std::vector<Timestamp> watermarks_;  ///< of each source, at the last checkpoint
  Epoch next_;
  bool in_progress_ = false;  ///< from the trigger until it is committed and old ones are deleted
  bool collecting_ = false;   ///< from the trigger until all snapshots are in
  bool last_ = false;         ///< the epoch in progress is the last
  bool finish_asked_ = false;
  bool missed_tick_ = false;  ///< tick() was called while one was under way
  Epoch wanted_{};            ///< the newest one that was asked for by want()
  bool done_ = false;
  std::atomic<const char*> doing_{""};  ///< of the checkpoint that is being written
  Duration triggered_at_{};
  Duration committed_at_{};
  std::uint64_t moves_ = 0;  ///< at the last trigger
};

/// Gives the part files of a committed checkpoint their final names. Repeatable: a part that has its final name already is
/// left alone. Throws Error(kEnvironment).
void publish_parts(const std::vector<PendingPart>& parts);

}  // namespace weir
