#include "runtime/api/batch_size.h"

#include <catch2/catch.hpp>

#include "tests/support/test_task.h"

namespace weir {

TEST_CASE("batches are limited in rows and in bytes") {
  TestAttempt attempt;
  attempt.context().batch_rows = 2000;
  attempt.context().batch_bytes = 1 << 20;
  BatchSize size(attempt.context());
  CHECK(size.next() == 64);  // what rows look like is not known
  size.made(64, 64 * 100);
  CHECK(size.next() == 2000);
  size.made(2000, 2000 * 10'000);
  CHECK(size.next() == 104);
  size.made(0, 0);
  CHECK(size.next() == 104);
  size.made(1, 50 << 20);
  CHECK(size.next() == 1);
  size.made(1, 0);
  CHECK(size.next() == 2000);
  attempt.context().batch_rows = 1;
  CHECK(BatchSize(attempt.context()).next() == 1);
}

}  // namespace weir
