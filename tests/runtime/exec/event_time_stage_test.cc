#include "runtime/exec/event_time_stage.h"

#include <catch2/catch.hpp>

#include "runtime/api/row_errors.h"

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
    stage.on_batch(split, std::make_shared<const RecordBatch>(schema, std::vector<ColumnPtr>{at.finish()}, 1), {}, counters, errors,
                   [](BatchPtr, std::optional<Timestamp>) {});
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

}  // namespace weir
