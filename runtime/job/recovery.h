#pragma once
#include <memory>
#include <optional>

#include "runtime/job/claimed.h"
#include "runtime/job/setting.h"

namespace weir {

/// The start of an attempt: looks at what is there, decides what to restore, and claims it.
///
/// Looking touches nothing, so that a start that is refused has fenced nobody; then older instances are fenced, and what
/// they had committed meanwhile is decided on again. From the claim on no other run's rows can count.
///
/// Blocks (brokers, disks). Used once.
class Recovery {
 public:
  /// `attempt` gets what tasks must know of the start: its first epoch and the watermarks that were restored. In `record`
  /// stands how far the start came, also when it throws.
  Recovery(const JobSetting& setting, const Restarts& restarts, CheckpointFolder& folder, AttemptContext& attempt,
           AttemptRecord& record);

  /// None: the job has finished before, and there is nothing to do. Throws weir::Error: kRefused before anything is touched,
  /// and what the authority, the sources and the disk throw.
  std::optional<Claimed> run();

 private:
  /// What was found, and what follows from it.
  struct Look {
    RecoveryInput input;
    AuthorityAnswer answer;
    StartingPoint from;
  };
  /// In the job's folder and at the authority; judged by that alone it may be one commit behind.
  Look look(CommitAuthority& authority, bool left_former);
  void open(CommitAuthority& authority, Look& look, bool left_former);
  StartingPoint decide(RecoveryInput& input, bool looking, bool left_former);
  void refuse_moved(const std::string& moved_to) const;
  void refuse_to_begin_anew(const RecoveryDecision& decision) const;

  bool leave_former_authority(const std::string& own);
  void claim_as_restored(CommitAuthority& former, Look& look);
  void take_over(CommitAuthority& authority, const StartingPoint& from, const std::filesystem::path& old);
  void clean_up(const StartingPoint& from, const std::vector<PendingPart>& listed) const;

  void rename_restored(StartingPoint& from);
  Manifest base_manifest(CommitAuthority& authority, const StartingPoint& from) const;
  Manifest claim_manifest(const Claimed& claimed, const StartingPoint& from) const;
  Claimed claim(std::unique_ptr<CommitAuthority> authority, const StartingPoint& from, Epoch epoch);
  void commit_claim(CommitAuthority& authority, CheckpointWriter& writer, const Manifest& claim);

  const JobSetting& setting_;
  const Restarts& restarts_;
  CheckpointFolder& folder_;
  AttemptContext& attempt_;
  AttemptRecord& record_;
};

}  // namespace weir
