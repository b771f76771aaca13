#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/ids.h"
#include "runtime/base/time.h"

namespace weir {

/// The last commit that an authority knows of: checkpoint and run.
struct Marker {
  Epoch epoch;
  RunId run;
  bool operator==(const Marker&) const = default;
};

/// What an authority says when it is asked.
struct AuthorityAnswer {
  std::optional<Marker> marker;
  /// The job was taken over by one of this name (`--take-over`): it must not start any more. Empty: it was not.
  std::string moved_to;
  bool operator==(const AuthorityAnswer&) const = default;
};

/// How the commits of a job get on, for people.
struct CommitFigures {
  std::uint64_t committed = 0, aborted = 0;  ///< transactions since the program began
  Duration last_commit{};                    ///< how long the last commit took, until the broker had answered
  Duration uncommitted{};                    ///< age of the oldest row that is not committed; zero: there is none
  Duration timeout{};                        ///< after so long the broker aborts a transaction
  bool operator==(const CommitFigures&) const = default;
};

/// Decides whether a prepared checkpoint counts. Local: the rename decides. Kafka: the transaction that holds the epoch's
/// rows and the marker decides.
///
/// Calls that say so may block (at most 15 s each), are made on the control thread or the blocking pool, and one at a time;
/// the others may come from any thread. They throw weir::Error: kEnvironment, kFenced when another instance took over, kUser
/// when rights are missing.
class CommitAuthority {
 public:
  virtual ~CommitAuthority() = default;
  /// Named in manifests: `local`, or `kafka <cluster id> weir-<job>`. A prepared checkpoint is judged by the authority it
  /// names. May block.
  virtual std::string name() = 0;
  /// Looks without touching anything, so that a start that is refused fences nobody. May be one commit behind. May block.
  virtual AuthorityAnswer inspect() = 0;
  /// Fences older instances, ends what they left open, and reads the marker for good. May block.
  virtual AuthorityAnswer open() = 0;
  /// Ends the job `old_job`, whose last marker must be `expected`: fences it and commits there that it moved to this job. A
  /// job that moved here already is fine. May block.
  virtual void take_over(const std::string& old_job, const Marker& expected) = 0;
  /// Rows of this epoch will be written next (again after each commit, for the epoch after the next). Does not block.
  virtual void begin(Epoch epoch) = 0;
  /// Makes checkpoint `epoch` of `run` count, with every row that belongs to the epoch. After it returned the commit is
  /// certain. May block.
  virtual void commit(Epoch epoch, const RunId& run) = 0;
  /// Gives up what is open, at a graceful end. May block.
  virtual void close() = 0;

  /// True if rows were written in this epoch.
  virtual bool epoch_has_output(Epoch epoch) const = 0;
  /// True when what is open must be committed soon, before it times out: a checkpoint is triggered early.
  virtual bool commit_is_due() const = 0;
  /// An idle job still writes a checkpoint so often, or the marker would expire.
  virtual Duration heartbeat() const = 0;
  /// Names what the rows of an epoch are written with (a transactional id), for manifests; empty without one.
  virtual std::string lane(Epoch epoch) const = 0;
  /// None: nothing is committed but the checkpoint's own name.
  virtual std::optional<CommitFigures> figures() const { return std::nullopt; }
};

/// The authority of jobs without an exactly-once Kafka sink: renaming the checkpoint folder is the commit.
class LocalAuthority final : public CommitAuthority {
 public:
  std::string name() override { return "local"; }
  AuthorityAnswer inspect() override { return {}; }
  AuthorityAnswer open() override { return {}; }
  void take_over(const std::string&, const Marker&) override {}
  void begin(Epoch) override {}
  void commit(Epoch, const RunId&) override {}
  void close() override {}
  bool epoch_has_output(Epoch) const override { return false; }
  bool commit_is_due() const override { return false; }
  Duration heartbeat() const override { return Duration::seconds(3600); }
  std::string lane(Epoch) const override { return {}; }
};

}  // namespace weir
