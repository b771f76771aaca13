#pragma once
#include <memory>
#include <string>
#include <vector>

#include "runtime/api/context.h"
#include "runtime/api/operator.h"
#include "runtime/api/row_errors.h"
#include "runtime/api/snapshot.h"
#include "runtime/data/record_batch.h"

namespace weir {

/// What polling an input came to.
enum class InputStatus {
  kMoreAvailable,     ///< Something was emitted or moved: poll again.
  kNothingAvailable,  ///< Nothing now: poll again after the waker was used.
  kEndOfInput,        ///< Nothing ever again.
};

/// Where a reader hands on what it read.
class SourceOutput {
 public:
  virtual ~SourceOutput() = default;
  /// Rows of the split, in order. The reader has moved the split's `next` behind them before or moves it before poll_next
  /// returns.
  virtual void emit(const SplitState& split, BatchPtr batch) = 0;
  /// Rows for the errors stream (schema error_schema()); only with `on_error: emit`.
  virtual void emit_errors(BatchPtr batch) = 0;
  /// The reader has nothing more of this split at the moment (at its end, or at the last stable offset); any emit undoes it.
  /// Also to be called when the split has `ended`.
  virtual void caught_up(const SplitState& split) = 0;
  /// False while rows of the split should wait, since they are further ahead in event time than `max_drift` lets sources
  /// that meet: a reader of several splits asks before it reads one. The task is polled again when that changes.
  virtual bool wants(const SplitState& /*split*/) { return true; }
  /// The largest event time among the rows of the split that were not refused, those before a restore too; none: no such row
  /// yet, or the source has no event time.
  virtual std::optional<Timestamp> largest_time(const SplitState& /*split*/) const { return std::nullopt; }
};

/// Reads the splits of one task. All calls come from one thread at a time and must not block.
class SourceReader {
 public:
  virtual ~SourceReader() = default;
  virtual void open(const TaskContext&) {}
  /// More splits to read, from their `next`. Called at any time between polls.
  virtual void add_splits(std::vector<SplitState> splits) = 0;
  /// No split will be added any more: when all have ended, poll_next answers kEndOfInput.
  virtual void no_more_splits() = 0;
  /// Emits at most one batch (and errors that belong to it), taking what is there without waiting for more.
  virtual InputStatus poll_next(SourceOutput& out) = 0;
  /// All splits of this reader, where they stand now.
  virtual std::vector<SplitState> splits() const = 0;
  /// The record that row `row` was made from, of the batch that is being handed on: topic, partition, offset, key, value, as
  /// an errors stream tells them. Only called from inside SourceOutput::emit, and valid as long; what is not known is left
  /// out.
  virtual ErrorRow record_of(std::int64_t /*row*/) const { return {}; }
  /// Of a split that was told to be caught up: true if nothing of it waits to be handed on. Such a split may become idle
  /// while others have rows.
  virtual bool is_caught_up(const SplitState& /*split*/) const { return true; }
  /// Where each of splits() ends at the moment, in the numbers of its `next`, as far as that is known without asking: for
  /// people. Empty: where the splits say.
  virtual std::vector<std::optional<std::int64_t>> known_ends() const { return {}; }
  /// Checkpoint `epoch` is committed, in which the splits stood at `splits`.
  virtual void on_committed(Epoch /*epoch*/, const std::vector<SplitState>& /*splits*/) {}
};

/// Finds the splits of a source and where to begin. All calls are on the blocking pool, one at a time.
class SplitEnumerator {
 public:
  virtual ~SplitEnumerator() = default;
  /// Checks the splits of a checkpoint against what is there (offsets gone, topic recreated: weir::Error) and returns them,
  /// with their ends resolved anew when the file now asks for another end or AttemptContext::read_on. `next` and `end` are
  /// numbers.
  virtual std::vector<SplitState> restore(std::vector<SplitState> splits) { return splits; }
  /// The splits that are there and not in `known`, each with a start (a number) and its end. First call of a new job: all.
  virtual std::vector<SplitState> discover(const std::vector<SplitState>& known) = 0;
  /// Where a split that restore() or discover() returned ended when they asked, in the numbers of its `next`: for people.
  virtual std::optional<std::int64_t> known_end(const SplitState& split) const { return split.end; }
  /// How often to discover again; zero: never.
  virtual Duration interval() const { return {}; }
};

/// A source of a pipeline after binding. Immutable; makes the readers of an attempt.
class BoundSource {
 public:
  virtual ~BoundSource() = default;
  /// Port 0 is the rows; "errors" is there with `on_error: emit`.
  virtual const std::vector<Port>& ports() const = 0;
  virtual bool bounded() const = 0;
  /// False for sources that cannot be read again from a position (stdin): no restore.
  virtual bool replayable() const { return true; }
  virtual std::unique_ptr<SplitEnumerator> create_enumerator(AttemptContext& attempt) const = 0;
  virtual std::unique_ptr<SourceReader> create_reader(AttemptContext& attempt) const = 0;
  /// For `checkpoints show`: `kafka`, `file`, ….
  virtual std::string type() const = 0;
};

}  // namespace weir
