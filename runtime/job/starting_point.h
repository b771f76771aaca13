#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/checkpoint/recovery.h"
#include "runtime/job/setting.h"

namespace weir {

/// What the user said about where to start, as far as it concerns one start: nothing once an earlier attempt of the process
/// has claimed, for a restart goes on from there.
struct StartWishes {
  std::optional<std::filesystem::path> from{};
  bool fresh = false;
  bool begins_anew = false;  ///< nobody said so, but no source can be read again: what comes is new input
  bool read_on = false;      ///< bounded sources go on behind their ends
  bool new_input = false;    ///< and what they read is new altogether
  bool allow_duplicates = false;
  bool copy = false, take_over = false;
  std::optional<InDoubt> in_doubt{};
  std::vector<std::string> drop_state{};

  /// What stays of them when a claim holds already from where the job goes on.
  StartWishes where_it_goes_on() const;
  RecoveryOptions recovery_options() const;
};

/// The wishes of a start that found this. `runs`: of earlier attempts in this process.
StartWishes wishes_of(const JobOptions& options, const Graph& graph, const std::vector<RunId>& runs,
                      const RecoveryInput& found);

/// From where a start goes on: what was decided, and what it rests on.
struct StartingPoint {
  StartWishes wishes;
  RecoveryDecision decision;
  std::optional<Manifest> restored{};  ///< none: a new job, or undecided
  std::filesystem::path path{};        ///< where that lies

  /// A job that finished and is not to read on.
  bool nothing_to_do() const { return restored && restored->finished && !wishes.read_on; }
  /// Steps and sources whose state is given up: by this start, or by the one whose claim is restored.
  std::vector<std::string> dropped_steps() const;
  bool is_dropped(const std::string& name) const;
  /// True if this start, and no earlier one, gives up the state of that name.
  bool gives_up(const std::string& name) const;
  /// The folder of the job that this start ends, which is not `job` (--take-over); none: it ends none.
  std::optional<std::filesystem::path> folder_taken_over(const std::string& job) const;
};

/// Refuses what the file cannot go on from: sources and steps of the restored checkpoint that are gone or changed. Throws
/// Error(kRefused).
void check_goes_on(const Graph& graph, const StartingPoint& from);

}  // namespace weir
