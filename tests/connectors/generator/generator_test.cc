#include <catch2/catch.hpp>

#include "connectors/generator/generator.h"
#include "runtime/base/error.h"
#include "tests/support/binding.h"
#include "tests/support/reading.h"

namespace weir {
namespace {

Binding<BoundSource> generator(const std::string& yaml) {
  Components components;
  add_generator(components);
  return bind_source(components, "type: generator\n" + yaml);
}

TEST_CASE("a generator makes its rows from the row number and ends") {
  const auto source = generator("rows: 3\nselect: { id: n, at: \"timestamp '2024-01-01' + n * interval '1 second'\" }");
  REQUIRE(source.problems == "");
  CHECK(source->bounded());
  TestAttempt attempt;
  CHECK(read_all(*source, attempt).rows == std::vector<std::string>{R"({"id":0,"at":"2024-01-01T00:00:00.000Z"})",
                                                                    R"({"id":1,"at":"2024-01-01T00:00:01.000Z"})",
                                                                    R"({"id":2,"at":"2024-01-01T00:00:02.000Z"})"});
}

TEST_CASE("a generator of no rows ends at once") {
  const auto source = generator("rows: 0\nselect: { id: n }");
  REQUIRE(source.bound);
  TestAttempt attempt;
  CHECK(read_all(*source, attempt).rows.empty());
}

TEST_CASE("a row depends on seed and n alone, also after a restart in the middle") {
  const auto source = generator("rows: 5000\nselect: { a: random(), b: random() }");
  REQUIRE(source.bound);
  TestAttempt attempt;
  const std::vector<std::string> all = read_all(*source, attempt).rows;
  REQUIRE(all.size() == 5000);
  CHECK(all[0] != all[1]);
  TestTask task(attempt, "source");
  const auto reader = source->create_reader(attempt.context());
  reader->open(task.context());
  reader->add_splits({SplitState{.next = 777, .end = 5000}});
  reader->no_more_splits();
  CollectedRows rest;
  read_to_end(*reader, attempt, task, rest);
  CHECK(rest.rows == std::vector<std::string>(all.begin() + 777, all.end()));
  const auto other = generator("rows: 5000\nseed: 2\nselect: { a: random(), b: random() }");
  CHECK(read_all(*other, attempt).rows != all);
}

TEST_CASE("a generator with a rate waits for the time of its rows without blocking") {
  const auto source = generator("rows: 50\nrate: 100\nselect: { id: n }");
  REQUIRE(source.bound);
  TestAttempt attempt;
  const Duration begin = attempt.clock.steady();
  const CollectedRows out = read_all(*source, attempt);
  CHECK(out.rows.size() == 50);
  CHECK(out.caught_up_calls > 40);
  CHECK(attempt.clock.steady() - begin >= Duration::milliseconds(490));
  CHECK(attempt.clock.steady() - begin < Duration::milliseconds(520));
}

TEST_CASE("an unbounded generator goes on where it stands") {
  const auto source = generator("select: { id: n }");
  REQUIRE(source.bound);
  CHECK_FALSE(source->bounded());
  TestAttempt attempt;
  TestTask task(attempt, "source");
  const auto reader = source->create_reader(attempt.context());
  reader->open(task.context());
  reader->add_splits({SplitState{.next = 1'000'000'000'000}});
  CollectedRows out;
  CHECK(poll_something(*reader, attempt, task, out) == InputStatus::kMoreAvailable);
  CHECK(out.rows.at(0) == R"({"id":1000000000000})");
  CHECK(reader->splits().at(0).next == 1'000'000'000'000 + static_cast<std::int64_t>(out.rows.size()));
}

TEST_CASE("a restored generator has the number of rows that its file says now") {
  TestAttempt attempt;
  const auto source = generator("rows: 10\nselect: { id: n }");
  REQUIRE(source.bound);
  const auto splits =
      source->create_enumerator(attempt.context())->restore({SplitState{.next = 4, .end = 4, .ended = true}});
  CHECK(splits.at(0).end == 10);
  CHECK_FALSE(splits.at(0).ended);
  CHECK(source->create_enumerator(attempt.context())->discover(splits).empty());
}

TEST_CASE("a row that fails follows on_error") {
  TestAttempt attempt;
  const std::string select = "rows: 4\nselect: { id: n, x: \"6 / (n - 2)\" }";
  CHECK_THROWS_WITH(read_all(*generator(select), attempt),
                    Catch::Contains("source source: ") && Catch::Contains("division by zero") && Catch::Contains("n = 2"));
  CHECK(read_all(*generator(select + "\non_error: skip"), attempt).rows ==
        std::vector<std::string>{R"({"id":0,"x":-3})", R"({"id":1,"x":-6})", R"({"id":3,"x":6})"});
  const CollectedRows out = read_all(*generator(select + "\non_error: emit"), attempt);
  CHECK(out.rows.size() == 3);
  REQUIRE(out.errors.size() == 1);
  CHECK_THAT(out.errors[0],
             Catch::Contains(R"("offset":2)") && Catch::Contains("division by zero") && Catch::Contains(" in \\\""));
}

TEST_CASE("problems of a generator are reported at their places") {
  CHECK_THAT(generator("rate: 0\nselect: { id: m }").problems,
             Catch::Contains("t.yaml:4:11: error: rate must be more than 0") && Catch::Contains("t.yaml:5:19: error: ") &&
                 Catch::Contains("m"));
  CHECK_THAT(generator("select: {}").problems, Catch::Contains("error: "));
}

}  // namespace
}  // namespace weir
