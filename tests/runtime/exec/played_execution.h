#pragma once
#include <catch2/catch.hpp>
#include <condition_variable>

#include "runtime/exec/execution.h"
#include "tests/support/played_dataflow.h"
#include "tests/support/test_task.h"

namespace weir {

/// What an execution reports, kept; waited for where it must come.
class Reports final : public ExecutionListener {
 public:
  void on_snapshot(int task, Epoch epoch, TaskSnapshot snapshot) override {
    add([&] { snapshots[epoch][task].push_back(std::move(snapshot)); });
  }
  void on_finished(int task, TaskSnapshot snapshot) override {
    add([&] { finals[task].push_back(std::move(snapshot)); });
  }
  void on_failure(std::exception_ptr reason) override {
    add([&] { failures.push_back(reason); });
  }
  bool wait(const std::function<bool()>& holds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), holds);
  }
  /// All tasks handed in a snapshot of this epoch, or ended.
  bool has(Epoch epoch, int tasks) {
    int answered = 0;
    for (int task = 0; task < tasks; ++task) answered += snapshots[epoch].contains(task) || finals.contains(task);
    return answered == tasks;
  }
  bool wait_for(Epoch epoch, int tasks) {
    return wait([&] { return has(epoch, tasks); });
  }
  /// Where the splits stand in the snapshots of an epoch, of tasks that ended in their final ones.
  std::map<int, std::int64_t> positions(Epoch epoch) {
    std::map<int, std::int64_t> all;
    for (const auto* tasks : {&finals, &snapshots[epoch]})
      for (const auto& [task, handed_in] : *tasks)
        for (const SplitState& s : handed_in.at(0).splits) all[s.partition] = s.next;
    return all;
  }
  /// The splits of tasks that ended.
  bool has_ended(int split) const {
    return std::any_of(finals.begin(), finals.end(), [&](const auto& f) {
      return std::any_of(f.second.at(0).splits.begin(), f.second.at(0).splits.end(),
                         [&](const SplitState& s) { return s.partition == split; });
    });
  }

  std::map<Epoch, std::map<int, std::vector<TaskSnapshot>>> snapshots;
  std::map<int, std::vector<TaskSnapshot>> finals;
  std::vector<std::exception_ptr> failures;

 private:
  template <typename F>
  void add(F f) {
    std::lock_guard lock(mutex_);
    f();
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// A graph of played components, and its execution.
class PlayedExecution {
 public:
  int add_source(const std::string& name, int batch_rows = 2) {
    auto source = std::make_unique<PlayedSource>(name, &journal, std::vector<SplitState>{}, batch_rows);
    sources.push_back(source.get());
    Vertex v{.name = name};
    v.outputs = source->ports();
    v.source = std::move(source);
    graph.vertices.push_back(std::move(v));
    return last();
  }
  /// A step that reads these vertices, by these exchanges; a sink where it has no port.
  int add_step(const std::string& name, const std::vector<int>& inputs, std::vector<Exchange> exchanges, bool sink = false) {
    std::vector<Port> ports;
    if (!sink) ports.push_back({"", PlayedSource::rows_schema()});
    auto step = std::make_unique<PlayedStep>(name, journal, std::move(exchanges), std::move(ports));
    steps[name] = step.get();
    Vertex v{.name = name, .kind = sink ? ComponentKind::kSink : ComponentKind::kStep};
    for (const int i : inputs) v.inputs.push_back({i, 0});
    v.outputs = step->ports();
    v.step = std::move(step);
    graph.vertices.push_back(std::move(v));
    return last();
  }
  void make(int parallelism, Executor& executor) {
    plan = make_plan(graph, parallelism, std::vector<int>(graph.vertices.size(), 0));
    execution.emplace(graph, plan, attempt.context(), executor, reports);
  }
  int last() const { return static_cast<int>(graph.vertices.size()) - 1; }
  std::string failure() const {
    try {
      std::rethrow_exception(reports.failures.at(0));
    } catch (const std::exception& e) {
      return e.what();
    }
  }
  /// Checks that at the barriers up to `last` a step had seen each row once, and those that the positions say.
  void check_cuts(const std::string& step, std::uint64_t last, std::size_t tasks);

  Journal journal;
  TestAttempt attempt;
  Graph graph;
  Plan plan;
  Reports reports;
  std::vector<PlayedSource*> sources;
  std::map<std::string, PlayedStep*> steps;
  std::optional<Execution> execution;
};

inline const Exchange kForward{}, kHash{Exchange::Kind::kHash, {0, 1}}, kRebalance{Exchange::Kind::kRebalance};

inline void PlayedExecution::check_cuts(const std::string& step, std::uint64_t last, std::size_t tasks) {
  std::map<int, std::int64_t> epoch_of_task;
  std::vector<std::map<int, std::int64_t>> rows(last + 2);  // by epoch and split
  std::map<std::pair<std::int64_t, std::int64_t>, int> times;
  for (const Journal::Entry& e : journal.entries()) {
    if (e.step != step) continue;
    std::int64_t& epoch = epoch_of_task.try_emplace(e.task, 1).first->second;
    if (e.what == "barrier") {
      REQUIRE(e.number == epoch);
      ++epoch;
    }
    if (e.what == "row") {
      ++times[{e.split, e.number}];
      ++rows.at(static_cast<std::size_t>(epoch))[static_cast<int>(e.split)];
    }
  }
  for (const auto& [row, n] : times)
    if (n != 1) FAIL("row " << row.first << ":" << row.second << " came " << n << " times to " << step);
  CHECK(epoch_of_task.size() == tasks);
  std::map<int, std::int64_t> sum;
  for (std::uint64_t e = 1; e <= last; ++e) {
    for (const auto& [split, n] : rows[e]) sum[split] += n;
    for (const auto& [split, position] : reports.positions({e})) {
      // One that ended later is known only by its end.
      const bool ended_later =
          reports.has_ended(split) && reports.snapshots[{e}].size() < static_cast<std::size_t>(execution->tasks());
      if (!ended_later && sum[split] != position)
        FAIL("at barrier " << e << " " << step << " had " << sum[split] << " rows of split " << split << ", which stood at "
                           << position);
    }
  }
  CHECK(!sum.empty());
  CHECK(rows[last + 1].empty());  // nothing is read behind the last barrier
}

}  // namespace weir
