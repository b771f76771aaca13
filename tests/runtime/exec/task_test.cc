// A task stepped by hand: what happens in which order does not depend on threads.
#include "runtime/exec/task.h"

#include <catch2/catch.hpp>

#include "runtime/exec/inputs.h"
#include "tests/support/batches.h"
#include "tests/support/test_task.h"

namespace weir {
namespace {

using Log = std::vector<std::string>;

/// Passes rows on and tells the log; what is posted and answered is up to the test.
class LoggingOperator final : public Operator {
 public:
  explicit LoggingOperator(Log& log) : log_(log) {}
  Progress process(int input, BatchPtr batch, Output& out) override {
    log_.push_back(fmt::format("rows {}@{}", batch->rows(), input));
    out.emit(0, batch);
    return std::exchange(answer, Progress::kDone);
  }
  Progress on_barrier(Epoch epoch, Output&) override {
    return log_.push_back(fmt::format("barrier {}", epoch.value)), Progress::kDone;
  }
  Progress on_wake(Output&) override {
    return log_.push_back("wake"), wanted = true, std::exchange(answer, Progress::kDone);
  }
  bool wants(int) const override { return wanted; }
  Progress on_end(Output&) override { return log_.push_back("end"), std::exchange(answer_at_end, Progress::kDone); }
  Progress resume(Output&) override {
    log_.push_back("resume");
    if (in_resume) in_resume();
    return Progress::kDone;
  }
  void on_committed(Epoch epoch) override { log_.push_back(fmt::format("committed {}", epoch.value)); }
  Progress answer = Progress::kDone, answer_at_end = Progress::kDone;
  std::function<void()> in_resume;
  bool wanted = true;

 private:
  Log& log_;
};

/// A task of one operator between two channels.
struct TaskFixture : TaskListener {
  TaskFixture() {
    auto owned = std::make_unique<LoggingOperator>(log);
    op = owned.get();
    node = &task.add_node(std::move(owned), 1, counters);
    node->ports().connect(0, task.add_channels(Exchange{}, {out}, 0), 0);
    task.set_input(std::make_unique<GateInput>(InputGate({{in, 0}}, [this](int input) { return op->wants(input); }), *node,
                                               [this] { task.take_mail(); }));
    task.set_scheduler([this] { ++wakes; });
    in->set_wakers([this] { task.wake(); }, [this] { ++credit_given; });
    out->set_wakers({}, [this] { task.wake(); });
  }
  void on_snapshot(int, Epoch epoch, TaskSnapshot) override { log.push_back(fmt::format("snapshot {}", epoch.value)); }
  void on_finished(int, TaskSnapshot) override { log.push_back("finished"); }
  void rows(int n) { CHECK(in->try_push(batch_of(schema, std::vector<std::string>(static_cast<std::size_t>(n), "1")))); }
  /// Steps it until it parks or is finished.
  StepResult step() {
    StepResult result;
    while ((result = task.step()) == StepResult::kAgain) {
    }
    return result;
  }
  Log take_log() { return std::exchange(log, {}); }

  const SchemaPtr schema = schema_of("id bigint");
  ManualClock clock;
  Log log;
  TaskCounters counters;
  std::shared_ptr<Channel> in = std::make_shared<Channel>(100), out = std::make_shared<Channel>(2);
  Task task{7, "task", *this, clock};
  LoggingOperator* op;
  ChainNode* node;
  int wakes = 0, credit_given = 0;
};

}  // namespace

TEST_CASE("mail that was posted before a barrier is done before the barrier, even when it came since the task last looked") {
  TaskFixture f;
  f.op->answer = Progress::kMore;
  f.op->in_resume = [&] { f.task.post([&] { f.op->on_committed({4}); }); };  // as another thread may at this moment
  f.rows(1);
  f.in->push_control(Barrier{{5}});
  CHECK(f.step() == StepResult::kPark);
  CHECK(f.log == Log{"rows 1@0", "resume", "committed 4", "barrier 5", "snapshot 5"});
}

TEST_CASE("a task whose output is full parks, keeps what was refused, and goes on where it stood") {
  TaskFixture f;
  for (int n = 1; n <= 5; ++n) f.rows(n);
  f.in->push_control(Barrier{{1}});
  f.in->push_control(End{});
  CHECK(f.step() == StepResult::kPark);
  CHECK(f.take_log() == Log{"rows 1@0", "rows 2@0", "rows 3@0"});  // two in the channel, one was refused
  const int wakes = f.wakes;
  f.clock.advance(Duration::milliseconds(3));
  CHECK(f.step() == StepResult::kPark);
  CHECK(f.take_log() == Log{});
  CHECK(std::get<BatchPtr>(*f.out->pop())->rows() == 1);
  CHECK(f.wakes == wakes + 1);
  CHECK(f.step() == StepResult::kPark);
  CHECK(f.take_log() == Log{"rows 4@0"});
  f.out->pop(), f.out->pop();
  CHECK(f.step() == StepResult::kFinished);
  CHECK(f.take_log() == Log{"rows 5@0", "barrier 1", "snapshot 1", "end", "finished"});
  Log left;
  while (const auto element = f.out->pop())
    left.push_back(std::holds_alternative<BatchPtr>(*element)  ? fmt::format("{}", std::get<BatchPtr>(*element)->rows())
                   : std::holds_alternative<Barrier>(*element) ? "barrier"
                                                               : "end");
  CHECK(left == Log{"4", "5", "barrier", "end"});
  CHECK(f.task.times().backpressured.get() == 3'000'000);
}

TEST_CASE("mail is taken while the output is full, and after the end") {
  TaskFixture f;
  for (int n = 1; n <= 4; ++n) f.rows(n);
  f.step();
  f.take_log();
  f.task.post([&] { f.op->on_committed({1}); });
  CHECK(f.step() == StepResult::kPark);
  CHECK(f.take_log() == Log{"committed 1"});
  f.out->pop(), f.out->pop();
  f.in->push_control(End{});
  f.step();
  f.out->pop(), f.out->pop();
  CHECK(f.step() == StepResult::kFinished);
  CHECK(f.task.finished());
  f.take_log();
  f.task.post([&] { f.op->on_committed({2}); });
  CHECK(f.step() == StepResult::kFinished);
  CHECK(f.log == Log{"committed 2"});
}

TEST_CASE("a task that is woken tells its operator, and reads what the operator wants then") {
  TaskFixture f;
  const Waker waker = f.node->waker([&] { f.task.wake(); });
  f.op->wanted = false;
  f.rows(1);
  CHECK(f.step() == StepResult::kPark);
  CHECK(f.log == Log{});
  const int wakes = f.wakes;
  waker();
  CHECK(f.wakes == wakes + 1);
  CHECK(f.step() == StepResult::kPark);
  CHECK(f.log == Log{"wake", "rows 1@0"});
}

TEST_CASE("a task is not finished before an operator that waits at its end is done") {
  TaskFixture f;
  const Waker waker = f.node->waker([&] { f.task.wake(); });
  f.op->answer_at_end = Progress::kWait;
  f.in->push_control(End{});
  CHECK(f.step() == StepResult::kPark);
  CHECK(f.log == Log{"end"});
  CHECK_FALSE(f.task.finished());
  CHECK(f.step() == StepResult::kPark);
  CHECK(f.log == Log{"end"});
  waker();
  f.step();
  CHECK(f.log == Log{"end", "resume", "finished"});
  CHECK(f.task.finished());
}

TEST_CASE("a task without input parks as idle and says nothing") {
  TaskFixture f;
  CHECK(f.step() == StepResult::kPark);
  f.clock.advance(Duration::milliseconds(3));
  CHECK(f.step() == StepResult::kPark);
  CHECK(f.log == Log{});
  CHECK(f.task.times().idle.get() == 3'000'000);
  CHECK(f.task.times().backpressured.get() == 0);
}

}  // namespace weir
