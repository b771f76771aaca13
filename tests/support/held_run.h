#pragma once
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/runtime/state/map_store.h"
#include "tests/support/hostile_harness.h"
#include "tests/support/test_task.h"

namespace weir {

/// Runs a keyed step like a job whose deltas are held: a barrier freezes, and any number of inputs later the delta is
/// ingested, and later still the tasks are told. Between any of these the job may crash and begin anew from its last
/// committed checkpoint, with another parallelism. What counts is what was emitted up to committed barriers, as with an
/// exactly-once sink.
///
/// Where the random choices are: barriers, ingestions, crashes, parallelism (1 to 3), memory (none, so that everything waits
/// and is forgotten; or plenty), full outputs.
class HeldRun {
 public:
  HeldRun(const BoundStep& step, unsigned seed);
  ~HeldRun();
  /// Rows by port, in the order in which tasks emitted them. Throws std::runtime_error when a task breaks a rule.
  EmittedRows run(const std::vector<Given>& given);

  // What happened, so that a test can be sure that it tests something.
  int crashes = 0, held = 0, ingested_untold = 0, waits = 0;

 private:
  struct Task;
  struct Input {
    Timestamp watermark = Timestamp::none();
    bool idle = false, ended = false;
  };
  /// Where the job stands at a barrier.
  struct Point {
    std::size_t next = 0;  ///< input
    EmittedRows emitted;
    std::map<std::string, Timestamp> watermarks;
    std::vector<Input> inputs;
    Timestamp merged = Timestamp::none();
  };
  struct Pending {
    Epoch epoch;
    Point point;
    std::vector<TaskSnapshot::Frozen> frozen;
    bool ingested = false;
  };

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  void begin();
  void feed(const Given& given);
  void feed_rows(const Given& given);
  void tell_end(int input);
  bool raise_watermark();
  void barrier(std::size_t next);
  void ingest();
  void tell();
  void crash();
  template <typename F>
  void call(Task& task, const F& first);

  const BoundStep& step_;
  std::mt19937 random_;
  TestAttempt attempt_;
  MapStore store_;
  Epoch epoch_{1};
  Point now_, committed_;
  std::optional<Pending> pending_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace weir
