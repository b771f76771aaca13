#include <fcntl.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <csignal>

#include "connectors/console/console.h"
#include "connectors/formats/formats.h"
#include "runtime/base/error.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/hostile_harness.h"
#include "tests/support/test_task.h"

namespace weir {
namespace {

const SchemaPtr kRows = schema_of("id bigint, name varchar, _offset bigint");

/// A console on a pipe.
struct PipedConsole {
  PipedConsole() {
    std::signal(SIGPIPE, SIG_IGN);
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    for (Declaration& d : format_declarations()) components.add_format(std::move(d));
    add_console(components, ends[1]);
    add_discard(components);
  }
  ~PipedConsole() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  /// What was written, up to what is in the pipe now.
  std::string written() {
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    std::string all(1 << 20, '\0');
    const ssize_t got = ::read(ends[0], all.data(), all.size());
    all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return all;
  }
  int ends[2];
  Components components;
};

BatchPtr rows() { return batch_of(kRows, {"1|a|10", "2|null|11", "3|b,\"c|12"}); }

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

constexpr int kWays = 24;  // of the hostile harness

TEST_CASE("a console writes rows as JSON, one a line, without metadata") {
  PipedConsole console;
  const auto sink = bind_sink(console.components, "type: console", {kRows});
  REQUIRE(sink.problems == "");
  CHECK(sink->guarantee() == "at_least_once");
  run_hostile(*sink, rows());
  const std::string once = "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":null}\n{\"id\":3,\"name\":\"b,\\\"c\"}\n";
  CHECK(console.written() == repeated(once, kWays));
}

TEST_CASE("a console writes csv with one header, however often the task starts") {
  PipedConsole console;
  const auto sink = bind_sink(console.components, "type: console\nformat: { type: csv, header: true }", {kRows});
  REQUIRE(sink.problems == "");
  run_hostile(*sink, rows());
  CHECK(console.written() == "id,name\n" + repeated("1,a\n2,\n3,\"b,\"\"c\"\n", kWays));
}

TEST_CASE("a console writes rows when they come, not when a batch is full") {
  PipedConsole console;
  const auto sink = bind_sink(console.components, "type: console", {kRows});
  REQUIRE(sink.bound);
  TestAttempt attempt;
  TestTask task(attempt, "out");
  const auto op = sink->create(attempt.context());
  op->open(task.context());
  struct NoOutput final : Output {
    void emit(int, BatchPtr) override { FAIL("a console emits"); }
    bool full() const override { return false; }
  } out;
  CHECK(op->process(0, batch_of(kRows, {"1|a|10"}), out) == Progress::kDone);
  attempt.pool.settle();
  CHECK(console.written() == "{\"id\":1,\"name\":\"a\"}\n");
  CHECK(op->on_barrier(Epoch{1}, out) == Progress::kDone);
  CHECK(task.counters.rows_out.get() == 1);
}

TEST_CASE("a slow reader makes the sink wait, not the task's thread block") {
  PipedConsole console;
  const auto sink = bind_sink(console.components, "type: console\nformat: raw", {schema_of("value varchar")});
  REQUIRE(sink.problems == "");
  TestAttempt attempt;
  TestTask task(attempt, "out");
  const auto op = sink->create(attempt.context());
  op->open(task.context());
  struct NoOutput final : Output {
    void emit(int, BatchPtr) override {}
    bool full() const override { return false; }
  } out;
  const BatchPtr large = batch_of(schema_of("value varchar"), std::vector<std::string>(20, std::string(100'000, 'x')));
  CHECK(op->process(0, large, out) == Progress::kWait);
  std::size_t read = 0;
  while (read < 20 * 100'001) read += console.written().size();
  REQUIRE(task.wait_woken());
  CHECK(op->resume(out) == Progress::kDone);
}

TEST_CASE("a reader that is gone ends the job and says so") {
  PipedConsole console;
  const auto sink = bind_sink(console.components, "type: console", {kRows});
  REQUIRE(sink.bound);
  ::close(console.ends[0]);
  console.ends[0] = ::open("/dev/null", O_RDONLY);
  CHECK_THROWS_WITH(run_hostile(*sink, rows()), Catch::Contains("standard output was closed"));
}

TEST_CASE("an errors stream in format raw is its values") {
  PipedConsole console;
  const auto sink = bind_sink(console.components, "type: console\nformat: raw", {error_schema()});
  REQUIRE(sink.problems == "");
  ErrorBatchBuilder builder;
  builder.append({.reason = "bad", .step = "s", .value = "the bytes"});
  run_hostile(*sink, builder.finish());
  CHECK(console.written() == repeated("the bytes\n", kWays));
}

TEST_CASE("a value of format raw that is more than a line follows on_error") {
  const SchemaPtr schema = schema_of("value varchar");
  const BatchPtr values = batch_of(schema, {"a", "two\nlines", "null", "b\r"});
  for (const std::string on_error : {"fail", "skip"}) {
    INFO(on_error);
    PipedConsole console;
    const auto sink = bind_sink(console.components, "type: console\nformat: raw\non_error: " + on_error, {schema});
    REQUIRE(sink.problems == "");
    if (on_error == "fail") {
      CHECK_THROWS_WITH(run_hostile(*sink, values),
                        Catch::Contains("sink sink: a line break in a value that format raw writes as one "
                                        "line; row: {\"value\":\"two\\nlines\"} (use format: json; on_error"));
      continue;
    }
    run_hostile(*sink, values);
    CHECK(console.written() == repeated("a\n\nb\r\n", kWays));
  }
}

TEST_CASE("lines of csv may go over lines") {
  PipedConsole console;
  const SchemaPtr schema = schema_of("value varchar");
  const auto sink = bind_sink(console.components, "type: console\nformat: { type: csv, null_text: NULL }", {schema});
  run_hostile(*sink, batch_of(schema, {"two\nlines"}));
  CHECK(console.written() == repeated("\"two\nlines\"\n", kWays));
}

TEST_CASE("a null of a single column must not be an empty line of csv") {
  PipedConsole console;
  const auto problems = [&](const char* columns, const std::string& more) {
    return bind_sink(console.components, "type: console\n" + more, {schema_of(columns)}).problems;
  };
  CHECK_THAT(
      problems("note varchar", "format: csv"),
      Catch::Contains("a null of note, the only column, would be an empty line") && Catch::Contains("null_text: NULL"));
  CHECK_THAT(problems("n int, _offset bigint", "format: { type: csv, header: true }"),
             Catch::Contains("a null of n, the only column"));
  CHECK(problems("note varchar", "format: { type: csv, null_text: NULL }") == "");
  CHECK(problems("note varchar not null", "format: csv") == "");
  CHECK(problems("a varchar, b varchar", "format: csv") == "");
  CHECK(problems("note varchar", "format: json") == "");
}

TEST_CASE("a sink of which nothing can be written is refused") {
  PipedConsole console;
  CHECK_THAT(bind_sink(console.components, "type: console", {schema_of("_offset bigint")}).problems,
             Catch::Contains("no column to write"));
  CHECK_THAT(bind_sink(console.components, "type: console\nformat: raw", {kRows}).problems,
             Catch::Contains("format raw writes one column"));
  Schema changes(kRows->fields());
  changes.set_changelog(true);
  CHECK_THAT(bind_sink(console.components, "type: console", {std::make_shared<const Schema>(changes)}).problems,
             Catch::Contains("write changelog: append_op"));
  CHECK_THAT(bind_sink(console.components, "type: console\nchangelog: upsert", {kRows}).problems,
             Catch::Contains("a console sink cannot take back what it wrote"));
}

TEST_CASE("changes are written with their kind") {
  const SchemaPtr schema = schema_of("id bigint, name varchar");
  const BatchPtr changes = batch_of(schema, {"1|a", "1|a", "1|b", "1|b"},
                                    {RowKind::kInsert, RowKind::kUpdateBefore, RowKind::kUpdateAfter, RowKind::kDelete});
  PipedConsole console;
  const auto sink = bind_sink(console.components, "type: console\nchangelog: append_op\nformat: { type: csv, header: true }",
                              {changes->schema()});
  REQUIRE(sink.problems == "");
  run_hostile(*sink, changes);
  CHECK(console.written() == "op,id,name\n" + repeated("+I,1,a\n-U,1,a\n+U,1,b\n-D,1,b\n", kWays));
}

TEST_CASE("discard takes rows and counts them") {
  PipedConsole console;
  const auto sink = bind_sink(console.components, "type: discard", {kRows});
  REQUIRE(sink.problems == "");
  CHECK(sink->guarantee() == "none");
  CHECK(run_hostile(*sink, rows()).empty());
}

}  // namespace
}  // namespace weir
