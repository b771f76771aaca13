#pragma once
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/job/checkpoint_relay.h"
#include "runtime/job/claimed.h"
#include "runtime/job/live_state.h"
#include "runtime/job/progress.h"
#include "runtime/job/setting.h"
#include "runtime/job/split_discovery.h"
#include "runtime/job/stop_patience.h"

namespace weir {

/// The context of a new attempt.
void prepare(AttemptContext& attempt, const JobSetting& setting, const Restarts& restarts, const CheckpointFolder& folder);

/// Runs what a start has claimed, up to the job's end, a stop or a failure. Lives on the control thread.
class Attempt final : private CheckpointObserver {
 public:
  /// Opens the state and builds the tasks; nothing runs yet. Blocks. `record` hears of checkpoints.
  Attempt(const JobSetting& setting, const Restarts& restarts, CheckpointFolder& folder, AttemptContext& context,
          AttemptRecord& record, Claimed claimed, ControlLoop& loop);
  ~Attempt() override;

  /// Runs to the end. Throws what ended the attempt.
  JobEnd run();

 private:
  AttemptContext& wired(AttemptContext& context);
  CoordinatorOptions coordinator_options() const;
  std::vector<int> split_counts() const;
  void launch();
  void discover_from_now_on(ResolvedSource& source);
  void check_stop();
  void tell_of_waiting();
  std::string wait_text() const;
  void give_up_waiting();
  std::string state_text() const;
  void keep_within_memory();

  void on_checkpoint(const Manifest& manifest) override;
  void on_done(bool finished) override { done_ = finished; }

  const JobSetting& setting_;
  const Clock& clock_;
  AttemptContext& context_;
  AttemptRecord& record_;
  Claimed claimed_;
  const Duration job_started_;
  LiveState state_;
  ControlLoop& loop_;
  ControlLoop::Lease lease_;
  CheckpointRelay relay_;
  const Plan plan_;
  Execution execution_;
  Coordinator coordinator_;
  ProgressReport progress_;
  std::vector<std::unique_ptr<SplitDiscovery>> discoveries_;

  Epoch last_committed_;
  std::optional<bool> done_;  ///< the last checkpoint is committed; true: the job finished
  std::exception_ptr failure_;
  bool out_of_rows_ = false;
  std::optional<StopPatience> stopping_;  ///< since a stop was asked for
  bool stopped_after_ = false;            ///< by --stop-after or a number of rows
  Duration give_back_after_{}, told_of_wait_{}, told_of_state_{};
};

}  // namespace weir
