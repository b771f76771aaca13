#include "runtime/exec/event_time_stage.h"

#include <catch2/catch.hpp>

#include <set>

#include "runtime/api/row_errors.h"
#include "tests/support/test_task.h"

namespace weir {
namespace {

class NoErrors final : public Output {
 public:
  void emit(int, BatchPtr) override { FAIL("no row is wrong"); }
  bool full() const override { return false; }
};

/// Two splits whose rows have a time and nothing else.
struct StageFixture {
  EventTime options;
  SchemaPtr schema = [] {
    auto s = std::make_shared<Schema>(std::vector<Field>{{"at", Type::timestamp()}});
    s->set_event_time(0);
    return s;
  }();
  EventTimeStage stage{options, schema, "in", system_clock()};
  SplitState a{"a"}, b{"b"};
  TaskCounters counters;

  StageFixture() { stage.add_split(a), stage.add_split(b); }
  /// A row of a split; returns the watermark behind it.
  Timestamp row(const SplitState& split, std::int64_t time) {
    ColumnBuilder at(Type::timestamp());
    at.append_bigint(time);
    NoErrors errors;
    stage.on_batch(split, std::make_shared<const RecordBatch>(schema, std::vector<ColumnPtr>{at.finish()}, 1), {}, counters,
                   errors, [](BatchPtr, std::optional<Timestamp>) {});
    return stage.watermark();
  }
};

}  // namespace

TEST_CASE("a split that ended does not hold back the watermark, though splits never become idle") {
  StageFixture f;
  f.row(f.a, 100);
  CHECK(f.row(f.b, 900) == Timestamp{99});
  f.a.ended = true;
  CHECK(f.stage.ended(f.a) == Timestamp{899});
  CHECK(f.row(f.b, 1000) == Timestamp{999});
  f.b.ended = true;
  CHECK(f.stage.ended(f.b) == std::nullopt);  // the end of the source says more
  CHECK(f.stage.all_idle());
}

namespace {

/// Two splits with idle_after 1m and max_ahead 1d, by a clock that the test moves; refused rows are skipped.
struct IdleFixture {
  EventTime options = [] {
    EventTime o;
    o.idle_after = Duration::seconds(60);
    o.max_ahead = Duration::seconds(86400);
    o.on_error = OnError::kSkip;
    return o;
  }();
  SchemaPtr schema = [] {
    auto s = std::make_shared<Schema>(std::vector<Field>{{"at", Type::timestamp()}});
    s->set_event_time(0);
    return s;
  }();
  ManualClock clock;
  EventTimeStage stage{options, schema, "in", clock};
  SplitState a{"a"}, b{"b"};
  TaskCounters counters;
  std::set<std::string> waiting;  ///< splits with rows that the task has not come to
  const std::int64_t now = clock.now().micros;

  IdleFixture() { stage.add_split(a), stage.add_split(b); }
  void rows(const SplitState& split, const std::vector<std::optional<std::int64_t>>& times) {
    ColumnBuilder at(Type::timestamp());
    for (const auto& t : times) t ? at.append_bigint(*t) : at.append_null();
    NoErrors errors;
    stage.on_batch(
        split,
        std::make_shared<const RecordBatch>(schema, std::vector<ColumnPtr>{at.finish()},
                                            static_cast<std::int64_t>(times.size())),
        [](std::int64_t) { return ErrorRow{}; }, counters, errors, [](BatchPtr, std::optional<Timestamp>) {});
  }
  std::optional<Timestamp> check() {
    return stage.check_idle([this](const SplitState& s) { return !waiting.contains(s.topic); });
  }
  void pass(int seconds) { clock.advance(Duration::seconds(seconds)); }
};

}  // namespace

TEST_CASE("a split that is caught up becomes idle while another has rows all the time") {
  IdleFixture f;
  f.stage.caught_up(f.b);
  CHECK(f.stage.idle_due() == f.clock.steady() + Duration::seconds(60));
  for (int i = 0; i < 59; ++i) {
    f.rows(f.a, {f.now + i});
    f.pass(1);
    CHECK(!f.check());
  }
  f.pass(1);
  CHECK(f.check() == Timestamp{f.now + 57});
  CHECK(f.stage.is_idle(f.b));
  CHECK(!f.stage.is_idle(f.a));
  CHECK(f.stage.idle_due() == std::nullopt);
}

TEST_CASE("a split with rows that the task has not come to is not idle, however long that lasts") {
  IdleFixture f;
  f.rows(f.a, {f.now});
  f.stage.caught_up(f.b);
  f.waiting = {"b"};
  f.pass(600);
  CHECK(!f.check());
  CHECK(!f.stage.is_idle(f.b));
  CHECK(f.stage.idle_due() > f.clock.steady());  // it is looked at again, not at every poll
  f.waiting.clear();
  f.pass(1);
  CHECK(f.check() == Timestamp{f.now - 1});
}

TEST_CASE("a split that had rows is caught up anew, and asks for one alarm at a time") {
  IdleFixture f;
  f.stage.caught_up(f.a);
  const auto first = f.stage.idle_due();
  f.pass(50);
  f.rows(f.a, {f.now});
  f.stage.caught_up(f.a);
  CHECK(f.stage.idle_due() == first);  // the alarm that is set; then the next is
  f.pass(10);
  CHECK(!f.check());
  CHECK(!f.stage.is_idle(f.a));
  CHECK(f.stage.idle_due() == f.clock.steady() + Duration::seconds(50));
}

TEST_CASE("what a refused row says is as if it was not there") {
  IdleFixture f;
  const std::int64_t far = f.now + 400 * 86'400'000'000;
  f.rows(f.a, {far, f.now, far});
  CHECK(f.stage.largest_time(f.a) == Timestamp{f.now});
  f.rows(f.b, {std::nullopt, far});
  CHECK(f.stage.largest_time(f.b) == std::nullopt);
  f.stage.caught_up(f.b);
  f.pass(30);
  f.rows(f.b, {far});
  f.rows(f.b, {std::nullopt});
  f.pass(30);
  CHECK(f.check() == Timestamp{f.now - 1});
  CHECK(f.stage.is_idle(f.b));
  f.rows(f.b, {far});
  CHECK(f.stage.is_idle(f.b));
  f.rows(f.b, {f.now + 5});
  CHECK(!f.stage.is_idle(f.b));
}

}  // namespace weir
