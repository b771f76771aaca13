#include "runtime/api/evaluation.h"

#include <catch2/catch.hpp>

#include "tests/support/test_task.h"

namespace weir {
namespace {

EvaluationContext first(TestAttempt& attempt, const std::string& name, int index) {
  TestTask task(attempt, name, index);
  Evaluation evaluation;
  evaluation.open(task.context());
  return evaluation.next(10);
}

TEST_CASE("seeds differ between steps, tasks, runs and columns, and are the same for the same") {
  TestAttempt attempt;
  const std::uint64_t seed = first(attempt, "a", 0).random_seed;
  CHECK(first(attempt, "a", 0).random_seed == seed);
  CHECK(first(attempt, "b", 0).random_seed != seed);
  CHECK(first(attempt, "a", 1).random_seed != seed);
  attempt.start_again("ffffffffffffffff", Epoch{9});
  CHECK(first(attempt, "a", 0).random_seed != seed);
  CHECK(mix_seed(1, "x") == mix_seed(1, "x"));
  CHECK(mix_seed(1, "x") != mix_seed(2, "x"));
  CHECK(mix_seed(1, "x") != mix_seed(1, "y"));
}

TEST_CASE("rows are numbered over batches and now is the clock's time at each") {
  TestAttempt attempt;
  TestTask task(attempt, "step");
  Evaluation evaluation;
  evaluation.open(task.context());
  CHECK(evaluation.next(10).first_row == 0);
  const Timestamp before = evaluation.next(5).now;
  attempt.clock.advance(Duration::seconds(1));
  const EvaluationContext third = evaluation.next(1);
  CHECK(third.first_row == 15);
  CHECK(third.now == before + Duration::seconds(1));
}

}  // namespace
}  // namespace weir
