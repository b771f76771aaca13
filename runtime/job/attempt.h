#pragma once
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/checkpoint/coordinator.h"
#include "runtime/exec/execution.h"
#include "runtime/job/control.h"
#include "runtime/job/job.h"
#include "runtime/job/progress.h"
#include "runtime/job/split_discovery.h"

namespace weir {

/// What an attempt must know of those before it in this process.
struct Restarts {
  Duration job_started{};        ///< by the steady clock; --stop-after counts from here
  std::optional<Epoch> claimed;  ///< the newest claim of this process
  int count = 0;
  int timeout_factor = 1;     ///< of transactions, see AttemptContext
  bool timed_out = false;     ///< the last attempt ended for that: the factor is new
  std::vector<RunId> runs{};  ///< theirs
  CommitCounters* commits = nullptr;
};

/// The authority that a graph's exactly-once sinks bring along, or the local one.
std::unique_ptr<CommitAuthority> make_authority(const Graph& graph, AttemptContext& attempt);

/// One attempt of a job: recover, claim, run, wind up. Lives on the control thread.
class Attempt final : public ExecutionListener, public CheckpointParticipants, public CheckpointObserver {
 public:
  Attempt(const PipelineFile& file, const Graph& graph, const JobOptions& options, const Restarts& restarts,
          CheckpointFolder& folder, StateStores& stores, Executor& executor, StopRequest& stop, ControlLoop& loop);
  ~Attempt() override;

  /// Runs to the end. Throws what ended the attempt.
  JobEnd run();
  /// True once a checkpoint that is no claim was committed: the restart counter begins anew.
  bool made_progress() const { return made_progress_; }
  const RunId& run_id() const { return context_.run; }
  /// Its claim, once that is committed.
  std::optional<Epoch> claimed() const { return is_claimed_ ? std::optional(claimed_) : std::nullopt; }
  /// The checkpoint that it restored; none: it did not get so far, or there was none.
  std::optional<Marker> restored() const { return restored_ ? std::optional(restored_->marker()) : std::nullopt; }

 private:
  // start.cc: from the folder to a claim.
  void recover();
  AuthorityAnswer look(RecoveryInput& input);
  void open_authority(RecoveryInput& input, const AuthorityAnswer& looked);
  void rename_restored();
  void leave_former_authority();
  std::unique_ptr<CommitAuthority> find_authority(const std::string& name);
  void claim_as_restored(const RecoveryInput& input);
  bool copies_another() const;
  std::optional<PendingPart> find_part(const std::string& job, const PendingPart& listed) const;
  std::vector<PendingPart> hidden_parts() const;
  std::vector<PendingPart> restored_parts() const;
  std::vector<PendingPart> publish_restored_parts() const;
  bool options_were_obeyed(const RecoveryInput& input) const;
  void take_options(RecoveryInput& input);
  bool reads_only_what_is_there_once() const;
  bool has_new_input() const;
  void begin_anew(RecoveryInput& input);
  void decide(RecoveryInput& input, bool looking);
  void check_sources() const;
  void check_splits(const ManifestSource& saved) const;
  void check_tables() const;
  void refuse_to_begin_anew() const;
  void refuse_moved(const std::string& moved_to) const;
  void take_over();
  bool nothing_to_do() const;
  void resolve_splits();
  const ManifestSource* saved_source(const std::string& name) const;
  void restore_source(int vertex, const ManifestSource& saved);
  void warn_of_windows() const;
  void open_state();
  void check_table(const std::string& step, const TableDeclaration& declared) const;
  void tell_of_dropped_state() const;
  std::vector<std::string> dropped_steps() const;
  bool gives_up(const std::string& name) const;
  bool is_dropped(const std::string& name) const;
  void claim();
  void commit_claim(CheckpointWriter& writer, const Manifest& claim);
  Manifest base_manifest() const;
  void show_what_was_restored(Manifest& claim) const;
  void tell_of_restored_state() const;
  int parallelism() const;

  // attempt.cc: running.
  void launch();
  void discover_from_now_on(int vertex);
  void check_stop();
  void tell_of_waiting();
  std::string wait_text() const;
  void give_up_waiting();
  std::string state_text() const;
  void keep_within_memory();

  void on_snapshot(int task, Epoch epoch, TaskSnapshot snapshot) override;
  void on_finished(int task, TaskSnapshot snapshot) override;
  void on_failure(std::exception_ptr reason) override;
  void trigger(Epoch epoch, bool last) override { execution_->trigger(epoch, last); }
  void committed(Epoch epoch) override { last_committed_ = epoch, execution_->committed(epoch); }
  std::uint64_t moves() const override { return execution_->moves(); }
  void on_checkpoint(const Manifest& manifest) override;
  void on_done(bool finished) override;

  const PipelineFile& file_;
  const Graph& graph_;
  const JobOptions& options_;
  const Restarts& restarts_;
  bool left_former_ = false;  ///< what the user said about where to start is in the claim that left a former authority
  bool obeyed_ =
      false;  ///< what the user said about where to start (`fresh`, `from`, …) is done: an earlier attempt claimed
  bool said_that_it_begins_anew_ = false;
  CheckpointFolder& folder_;
  StateStores& stores_;
  Executor& executor_;
  const Clock& clock_;
  StopRequest& stop_;

  AttemptContext context_;
  std::unique_ptr<CommitAuthority> authority_;
  std::optional<Manifest> restored_;
  std::filesystem::path restored_path_;
  RecoveryDecision decision_;
  std::map<int, std::unique_ptr<SplitEnumerator>> enumerators_;  ///< by vertex
  std::map<int, std::vector<SplitState>> splits_;                ///< known so far, by vertex
  std::vector<std::unique_ptr<SplitDiscovery>> discoveries_;
  Epoch claimed_, last_committed_;
  bool is_claimed_ = false;
  /// The live database's folder, deleted when the attempt is over and the database closed.
  struct WorkFolder {
    std::filesystem::path path;
    ~WorkFolder();
  } work_;
  std::unique_ptr<StateStore> store_;  ///< null when no step declares tables

  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Execution> execution_;
  std::unique_ptr<Coordinator> coordinator_;
  std::unique_ptr<ProgressReport> progress_;
  ControlLoop& loop_;
  ControlLoop::Lease lease_;  ///< ends first
  Duration started_{}, give_back_after_{}, told_of_wait_{}, told_of_state_{};
  Duration looked_at_{},
      stood_still_{};             ///< since a stop was asked for: the last look at the rows, and for how long none had moved
  std::uint64_t rows_moved_ = 0;  ///< by all steps, then
  std::exception_ptr failure_;
  std::optional<bool> done_;
  bool stopping_ = false;
  bool stopped_after_ = false;
  bool out_of_rows_ = false;
  bool made_progress_ = false;
};

}  // namespace weir
