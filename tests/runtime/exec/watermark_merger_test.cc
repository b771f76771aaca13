#include <catch2/catch.hpp>

#include "runtime/exec/watermark_merger.h"

using namespace weir;

TEST_CASE("the merged watermark is the least of all inputs") {
  WatermarkMerger merger(2);
  CHECK_FALSE(merger.on_watermark(0, Timestamp{10}));
  CHECK(merger.on_watermark(1, Timestamp{5}) == Timestamp{5});
  CHECK_FALSE(merger.on_watermark(0, Timestamp{20}));
  CHECK(merger.on_watermark(1, Timestamp{15}) == Timestamp{15});
}

TEST_CASE("an idle input does not hold the watermark back") {
  WatermarkMerger merger(2);
  merger.on_watermark(0, Timestamp{10});
  CHECK(merger.on_idle(1) == Timestamp{10});
  CHECK(merger.on_watermark(0, Timestamp{30}) == Timestamp{30});
}

TEST_CASE("an input that returns from idleness does not lower the watermark") {
  WatermarkMerger merger(2);
  merger.on_watermark(0, Timestamp{10});
  merger.on_idle(1);
  CHECK_FALSE(merger.on_watermark(1, Timestamp{3}));
  CHECK(merger.merged() == Timestamp{10});
  CHECK_FALSE(merger.on_watermark(0, Timestamp{20}));
  CHECK(merger.on_watermark(1, Timestamp{12}) == Timestamp{12});
}

TEST_CASE("an active input holds the watermark back again with the one it had") {
  WatermarkMerger merger(2);
  merger.on_watermark(0, Timestamp{10});
  merger.on_idle(1);
  merger.on_active(1);
  CHECK_FALSE(merger.on_watermark(0, Timestamp{50}));
  CHECK(merger.merged() == Timestamp{10});
}

TEST_CASE("an ended input does not count while others do") {
  WatermarkMerger merger(2);
  merger.on_watermark(0, Timestamp{10});
  CHECK(merger.on_end(1) == Timestamp{10});
  CHECK_FALSE(merger.idle());
}

TEST_CASE("when all inputs ended the watermark is the least that they promised") {
  WatermarkMerger merger(2);
  merger.on_watermark(0, Timestamp::infinity());
  merger.on_watermark(1, Timestamp::infinity());
  CHECK(merger.merged() == Timestamp::infinity());
  WatermarkMerger other(2);
  other.on_watermark(0, Timestamp{5});
  CHECK(other.on_watermark(1, Timestamp{9}) == Timestamp{5});
  CHECK(other.on_end(0) == Timestamp{9});
  CHECK_FALSE(other.on_end(1));
}

TEST_CASE("when the last input becomes idle the watermark is the greatest, whichever was first") {
  for (const bool turned : {false, true}) {
    WatermarkMerger merger(3);
    merger.on_watermark(0, Timestamp{10});
    merger.on_watermark(1, Timestamp{30});
    merger.on_watermark(2, Timestamp::infinity());
    merger.on_end(2);
    merger.on_idle(turned ? 1 : 0);
    merger.on_idle(turned ? 0 : 1);
    CHECK(merger.merged() == Timestamp{30});
    CHECK(merger.idle());
  }
}

TEST_CASE("all inputs idle: nothing moves and the stream is idle") {
  WatermarkMerger merger(2);
  merger.on_watermark(0, Timestamp{10});
  CHECK(merger.on_idle(1) == Timestamp{10});
  CHECK_FALSE(merger.on_idle(0));
  CHECK(merger.idle());
}

TEST_CASE("a restored floor is never gone below") {
  WatermarkMerger merger(1);
  merger.set_floor(Timestamp{100});
  CHECK_FALSE(merger.on_watermark(0, Timestamp{50}));
  CHECK(merger.on_watermark(0, Timestamp{101}) == Timestamp{101});
}
