#include <catch2/catch.hpp>

#include "runtime/base/error.h"
#include "runtime/exec/barrier_aligner.h"

using namespace weir;

TEST_CASE("a barrier completes when the last channel delivers it") {
  BarrierAligner aligner(3);
  CHECK_FALSE(aligner.on_barrier(0, Epoch{1}));
  CHECK(aligner.held(0));
  CHECK_FALSE(aligner.held(1));
  CHECK_FALSE(aligner.on_barrier(2, Epoch{1}));
  CHECK(aligner.on_barrier(1, Epoch{1}) == Epoch{1});
  for (int c = 0; c < 3; ++c) CHECK_FALSE(aligner.held(c));
}

TEST_CASE("a single channel completes every barrier at once") {
  BarrierAligner aligner(1);
  CHECK(aligner.on_barrier(0, Epoch{4}) == Epoch{4});
  CHECK(aligner.on_barrier(0, Epoch{5}) == Epoch{5});
}

TEST_CASE("a finished channel completes the epoch in progress") {
  BarrierAligner aligner(2);
  CHECK_FALSE(aligner.on_barrier(0, Epoch{7}));
  CHECK(aligner.on_end(1) == Epoch{7});
}

TEST_CASE("a finished channel counts as aligned in all later epochs") {
  BarrierAligner aligner(2);
  CHECK_FALSE(aligner.on_end(1));
  CHECK(aligner.on_barrier(0, Epoch{1}) == Epoch{1});
  CHECK(aligner.on_barrier(0, Epoch{2}) == Epoch{2});
}

TEST_CASE("the end of the last channel completes nothing when no epoch is in progress") {
  BarrierAligner aligner(2);
  CHECK_FALSE(aligner.on_end(0));
  CHECK_FALSE(aligner.on_end(1));
}

TEST_CASE("a barrier that breaks the protocol is a bug") {
  BarrierAligner aligner(2);
  aligner.on_barrier(0, Epoch{3});
  CHECK_THROWS_AS(aligner.on_barrier(0, Epoch{3}), Error);
  CHECK_THROWS_AS(aligner.on_barrier(1, Epoch{4}), Error);
  CHECK(aligner.on_barrier(1, Epoch{3}) == Epoch{3});
  CHECK_THROWS_AS(aligner.on_barrier(1, Epoch{3}), Error);
}
