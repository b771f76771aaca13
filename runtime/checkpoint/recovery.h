#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/checkpoint/folder.h"

namespace weir {

/// The name of LocalAuthority in manifests.
inline constexpr std::string_view kLocalAuthority = "local";

/// What `--in-doubt` says of a prepared checkpoint whose authority cannot answer.
enum class InDoubt { kCommitted, kAborted };

/// A checkpoint as a start finds it in the job's folder.
struct FoundCheckpoint {
  CheckpointEntry entry;
  std::optional<Manifest> manifest;  ///< none: it could not be read,
  std::string problem{};             ///< for this reason
};

/// What the user said about where to start.
struct RecoveryOptions {
  bool fresh = false;                     ///< `--fresh`
  std::optional<FoundCheckpoint> from{};  ///< `--from`; may lie anywhere
  bool allow_duplicates = false;
  std::optional<InDoubt> in_doubt{};
  bool other_job = false;  ///< `--take-over` or `--copy`: a checkpoint of another job may be restored
  /// Judging by CommitAuthority::inspect(), which may be one commit behind: what the next commit would make right is not
  /// refused.
  bool looking = false;
};

struct RecoveryInput {
  std::string job;
  std::string authority;                 ///< of this start
  std::optional<Marker> marker{};        ///< what that authority says; local: none
  std::vector<FoundCheckpoint> found{};  ///< in the job's folder, in any order
  RecoveryOptions options{};
};

enum class RecoveryAction {
  kNewJob,     ///< claim with the resolved start positions
  kRestore,    ///< `restore` (commit() it first when it is prepared), claim from it
  kRefuse,     ///< throw `refusal`
  kUndecided,  ///< only when looking: go on and ask again with the final marker
};

struct RecoveryDecision {
  RecoveryAction action = RecoveryAction::kNewJob;
  std::optional<FoundCheckpoint> restore{};
  bool rename_first = false;                ///< `restore` is prepared and counts: rename it before the claim
  std::vector<Epoch> delete_prepared{};     ///< after the claim is committed
  std::optional<LastMarker> last_marker{};  ///< for the manifests of this run
  std::vector<std::string> warnings{};      ///< to be printed
  std::optional<Error> refusal{};
};

/// Decides what a start does with what it finds: the table of README.md §2, with the local authority (where the rename
/// is the commit) as a case of it. Pure: nothing is touched.
///
/// A marker that was moved to another job (`weir1 N run moved NAME`) is judged by the caller before: one that names this job
/// comes here as marker N of the run it replaced; one that names another is refused there.
RecoveryDecision decide_recovery(const RecoveryInput& input);

/// Reads the manifests of `<dir>/<job>` for decide_recovery; what cannot be read is noted, not thrown.
std::vector<FoundCheckpoint> find_checkpoints(const std::filesystem::path& job_folder);
/// The same for one checkpoint, for `--from`. Throws Error(kUser) when it is none.
FoundCheckpoint find_checkpoint(const std::filesystem::path& checkpoint);

}  // namespace weir
