#pragma once
#include <functional>
#include <string>
#include <vector>

#include "runtime/api/commit_authority.h"
#include "runtime/api/context.h"
#include "runtime/api/snapshot.h"
#include "runtime/base/ids.h"
#include "runtime/base/time.h"
#include "runtime/data/record_batch.h"
#include "runtime/expr/expression.h"
#include "runtime/state/table_declaration.h"

namespace weir {

/// What a call to an operator came to, and what the task does next.
enum class Progress {
  kDone,  ///< All of it is done: the next call may come.
  kMore,  ///< Stopped because the output was full: call resume() once it is not, before anything else.
  kWait,  ///< Waits for something outside: call resume() after the operator's waker was used, before anything else.
};

/// Where an operator hands on its rows. Belongs to the task; used only inside a call to the operator.
class Output {
 public:
  virtual ~Output() = default;
  /// Hands a batch on through a port (BoundStep::ports). Empty batches are dropped. Always accepts: what the next one
  /// refuses is kept by the task, which then calls no operator until it is gone.
  virtual void emit(int port, BatchPtr batch) = 0;
  /// True while no more should be emitted. An operator may emit one batch a port for each call without asking; one that has
  /// more asks before each, and returns kMore when it is true.
  virtual bool full() const = 0;
};

/// The logic of a step or a sink inside one task.
///
/// All calls come from one thread at a time, never concurrently, and must not block: no I/O, no waiting; what blocks goes to
/// TaskContext::blocking. Data errors follow `on_error` (RowErrors); anything else is thrown as weir::Error.
/// Order of calls: open, then any of process, on_watermark, on_input_end, on_wake, on_barrier + snapshot, on_committed;
/// on_end once, after it only on_barrier + snapshot and on_committed. After kMore or kWait only resume() and on_committed
/// until it answers kDone. wants() may be asked at any time.
class Operator {
 public:
  virtual ~Operator() = default;

  virtual void open(const TaskContext&) {}
  /// Takes one batch (never empty) of input number `input`.
  virtual Progress process(int input, BatchPtr batch, Output& out) = 0;
  /// No more rows with time <= w are expected. The task hands the watermark on after kDone.
  virtual Progress on_watermark(Timestamp w, Output& out);
  /// The watermark that the task hands on for w: what may still come out of the operator lies behind it. w, unless rows come
  /// out later.
  virtual Timestamp output_watermark(Timestamp w) const { return w; }
  /// One of several inputs ended while another is open: it has no more rows. Comes again after a restart.
  virtual Progress on_input_end(int input, Output& out);
  /// All inputs ended.
  virtual Progress on_end(Output& out);
  /// The waker or wake_after of its TaskContext was used while nothing was half-way. May also come for no reason; not after
  /// the end.
  virtual Progress on_wake(Output& out);
  /// Asked where there are several inputs: false while rows of `input` should wait outside. It is answered anew before each
  /// read, so what changes it is another call, on_wake for one. Rows in front of a barrier that another input has delivered
  /// come all the same, since the barrier waits for them; watermarks and ends come, too. An operator that wants no open
  /// input must be woken.
  virtual bool wants(int /*input*/) const { return true; }
  /// Before the snapshot at barrier `epoch`: a sink answers kDone when every row it took is safe outside.
  virtual Progress on_barrier(Epoch epoch, Output& out);
  /// Goes on with what answered kMore or kWait.
  virtual Progress resume(Output& out);
  /// Adds what must survive to the snapshot of the barrier just passed. Quick: only freezes.
  virtual void snapshot(TaskSnapshot& snapshot);
  /// Checkpoint `epoch` is committed; its deltas are ingested. Comes before the next barrier.
  virtual void on_committed(Epoch epoch);
};

/// A named output of a step: "" is the step itself, "errors" its errors stream, "late", or an output of a route.
struct Port {
  std::string name;
  SchemaPtr schema;
};

/// How rows get from one task to the tasks of the next step.
struct Exchange {
  enum class Kind {
    kForward,    ///< task i to task i (mod the number of tasks): keeps the order, may be chained
    kHash,       ///< by the key group of `columns`
    kRebalance,  ///< round robin by batch
  };
  Kind kind = Kind::kForward;
  std::vector<int> columns{};  ///< kHash: key columns of the input
  /// kHash, where a part of the key is computed: all parts, instead of `columns`. They depend on the row alone. A row for
  /// which one fails goes to any task, which will find that too.
  std::vector<ExpressionPtr> keys{};
};

/// A step or sink of a pipeline, bound to its inputs' schemas. Immutable; makes the operators of the tasks of an attempt.
class BoundStep {
 public:
  virtual ~BoundStep() = default;
  /// The outputs in the order of Output::emit's port numbers. A sink has at most "errors".
  virtual const std::vector<Port>& ports() const = 0;
  virtual Exchange exchange(int /*input*/) const { return {}; }
  /// The state tables of the step; a keyed step has at least one.
  virtual std::vector<TableDeclaration> tables() const { return {}; }
  /// Sizes, slides and offsets of its aligned windows: the watermark moves in steps that divide them all.
  virtual std::vector<Duration> window_grains() const { return {}; }
  /// One operator for one task. May contact the outside only in Operator::open or later.
  virtual std::unique_ptr<Operator> create(AttemptContext& attempt) const = 0;
};

/// A sink, bound: what the job asks of it besides, since it writes outside.
class BoundSink : public BoundStep {
 public:
  /// `exactly_once`, `at_least_once`, `none`.
  virtual std::string guarantee() const = 0;
  /// Finds out whether what it writes to is there, before anything is fenced or claimed. Called once an attempt, on the
  /// control thread; may block. Throws weir::Error: kUser when it is not there or may not be written.
  virtual void look_up(AttemptContext&) const {}
  /// For sinks that write files: where a part that a checkpoint of `job` lists lies in this sink's folder, under whatever
  /// path it is listed; none: it is no part of such a sink, or of another folder. Nothing outside the folder is ever named.
  /// May block.
  virtual std::optional<PendingPart> find_part(const std::string& /*job*/, const PendingPart& /*listed*/) const {
    return std::nullopt;
  }
  /// For sinks that write files: deletes what earlier runs of the job of that name and home (AttemptContext) left pending,
  /// but not the parts listed. Called before the claim, for this job and for one that it takes over; may be repeated, and
  /// may block.
  virtual void clean_up(const std::string& /*job*/, const std::string& /*home*/,
                        const std::vector<PendingPart>& /*listed*/) const {}
  /// Where output and checkpoints are committed together by an authority of their own (Kafka transactions): takes part in
  /// that authority, for this attempt. Called of all sinks before the authority is asked anything.
  virtual void join_authority(AttemptContext&) const {}
  /// Then: the authority that this sink joined, the same for all that share one; null: none.
  virtual std::unique_ptr<CommitAuthority> create_authority(AttemptContext&) const { return nullptr; }
  /// An authority that commits where this sink writes to, whether or not it is the job's. A job that left it claims its
  /// last marker there.
  virtual std::unique_ptr<CommitAuthority> create_former_authority(AttemptContext&) const { return nullptr; }
};

}  // namespace weir
