#pragma once
#include <optional>
#include <string>

#include "runtime/base/ids.h"

namespace weir {

/// The last commit that an authority knows of: checkpoint and run.
struct Marker {
  Epoch epoch;
  RunId run;
  bool operator==(const Marker&) const = default;
};

/// Decides whether a prepared checkpoint counts. Local: the rename decides. Kafka: the transaction that holds the epoch's rows and
/// the marker decides.
///
/// All calls may block (at most 15 s each) and are made on the blocking pool, one at a time. They throw weir::Error: kEnvironment,
/// kFenced when another instance took over, kUser when rights are missing.
class CommitAuthority {
 public:
  virtual ~CommitAuthority() = default;
  /// Named in manifests: `local`, or `kafka <cluster id> weir-<job>`. A prepared checkpoint is judged by the authority it names.
  virtual std::string name() const = 0;
  /// Looks without touching anything, so that a start that is refused fences nobody. May be one commit behind.
  virtual std::optional<Marker> inspect() = 0;
  /// Fences older instances, ends what they left open, and reads the marker for good.
  virtual std::optional<Marker> open() = 0;
  /// Makes checkpoint `epoch` of `run` count, with every row that belongs to the epoch. After it returned the commit is certain.
  virtual void commit(Epoch epoch, const RunId& run) = 0;
  /// True if rows were written in this epoch. Thread-safe, does not block.
  virtual bool epoch_has_output(Epoch epoch) const = 0;
  /// Gives up what is open (an empty transaction at a graceful end).
  virtual void close() = 0;
};

/// The authority of jobs without an exactly-once Kafka sink: renaming the checkpoint folder is the commit.
class LocalAuthority final : public CommitAuthority {
 public:
  std::string name() const override { return "local"; }
  std::optional<Marker> inspect() override { return std::nullopt; }
  std::optional<Marker> open() override { return std::nullopt; }
  void commit(Epoch, const RunId&) override {}
  bool epoch_has_output(Epoch) const override { return false; }
  void close() override {}
};

}  // namespace weir
