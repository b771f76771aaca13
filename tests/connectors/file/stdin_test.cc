#include <fcntl.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "connectors/file/file.h"
#include "connectors/formats/formats.h"
#include "tests/support/binding.h"
#include "tests/support/reading.h"

namespace weir {
namespace {

/// A source that reads the end of a pipe.
struct PipedInput {
  PipedInput() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    for (Declaration& d : format_declarations()) components.add_format(std::move(d));
    add_file(components, ends[0]);
  }
  ~PipedInput() {
    ::close(ends[0]);
    close_writer();
  }
  void write(const std::string& text) {
    REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void close_writer() {
    if (ends[1] >= 0) ::close(std::exchange(ends[1], -1));
  }
  int ends[2];
  Components components;
};

TEST_CASE("stdin hands on lines as they come, waits without blocking and ends with the input") {
  PipedInput input;
  const auto source = bind_source(input.components, "type: stdin\nschema: { id: bigint }");
  REQUIRE(source.problems == "");
  CHECK(source->bounded());
  CHECK_FALSE(source->replayable());
  TestAttempt attempt;
  TestTask task(attempt, "source");
  const auto reader = source->create_reader(attempt.context());
  reader->open(task.context());
  reader->add_splits(source->create_enumerator(attempt.context())->discover({}));
  reader->no_more_splits();
  CollectedRows out;
  CHECK(reader->poll_next(out) == InputStatus::kNothingAvailable);
  CHECK(task.take_wake_after() == Duration::milliseconds(10));
  CHECK(out.caught_up_calls == 1);
  input.write("{\"id\":1}\n{\"id\":2}\n{\"id\":");
  while (out.rows.empty()) poll_something(*reader, attempt, task, out);
  CHECK(out.rows == std::vector<std::string>{R"({"id":1})", R"({"id":2})"});
  input.write("3}\n{\"id\":4}");
  input.close_writer();
  read_to_end(*reader, attempt, task, out);
  CHECK(out.rows.size() == 4);
  CHECK(reader->splits().at(0).ended);
}

TEST_CASE("stdin cannot be restored or read twice") {
  PipedInput input;
  const auto source = bind_source(input.components, "type: stdin\nschema: { id: bigint }");
  REQUIRE(source.bound);
  TestAttempt attempt;
  CHECK_THROWS_WITH(source->create_enumerator(attempt.context())->restore({SplitState{}}),
                    Catch::Contains("cannot be read again"));
}

TEST_CASE("a bad line of stdin is named by its number") {
  PipedInput input;
  const auto source = bind_source(input.components, "type: stdin\nschema: { id: bigint }");
  REQUIRE(source.bound);
  input.write("{\"id\":1}\n\n{\"id\":\"x\"}\n");
  input.close_writer();
  TestAttempt attempt;
  CHECK_THROWS_WITH(read_all(*source, attempt), Catch::Contains("source source: stdin:3: "));
}

}  // namespace
}  // namespace weir
