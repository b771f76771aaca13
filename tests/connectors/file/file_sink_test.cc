#include <catch2/catch.hpp>
#include <set>

#include "connectors/file/file.h"
#include "connectors/formats/formats.h"
#include "runtime/base/error.h"
#include "tests/support/batches.h"
#include "tests/support/binding.h"
#include "tests/support/hostile_harness.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_task.h"

namespace weir {
namespace {

const SchemaPtr kRows = schema_of("id bigint, name varchar, _offset bigint");

Binding<BoundSink> file_sink(const std::filesystem::path& path, const std::string& yaml = {}, SchemaPtr schema = kRows) {
  Components components;
  for (Declaration& d : format_declarations()) components.add_format(std::move(d));
  add_file(components);
  return bind_sink(components, "type: file\npath: " + path.string() + "\n" + yaml, {std::move(schema)});
}

std::vector<std::string> names(const std::filesystem::path& folder) {
  std::vector<std::string> all;
  if (!std::filesystem::exists(folder)) return all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) all.push_back(entry.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

struct NoOutput final : Output {
  void emit(int, BatchPtr) override { throw std::runtime_error("a file sink emits"); }
  bool full() const override { return false; }
};

/// One task of a sink and the checkpoints it takes part in.
struct Writing {
  Writing(const BoundStep& sink, TestAttempt& attempt, int index = 0)
      : task(attempt, "sink", index), op(sink.create(attempt.context())) {
    op->open(task.context());
  }
  void write(const std::vector<std::string>& rows) { finish(op->process(0, batch_of(kRows, rows), out)); }
  std::vector<PendingPart> barrier(std::uint64_t epoch) {
    finish(op->on_barrier({epoch}, out));
    TaskSnapshot snapshot;
    op->snapshot(snapshot);
    return snapshot.parts;
  }
  void finish(Progress progress) {
    while (progress != Progress::kDone) {
      REQUIRE(progress == Progress::kWait);
      const bool woken = task.wait_woken();
      REQUIRE(woken);
      progress = op->resume(out);
    }
  }
  NoOutput out;
  TestTask task;
  std::unique_ptr<Operator> op;
};

void commit(const std::vector<PendingPart>& parts) {
  for (const PendingPart& part : parts) std::filesystem::rename(part.pending, part.final);
}

TEST_CASE("the rows of an epoch are in parts that its checkpoint makes visible") {
  TemporaryFolder folder;
  const auto sink = file_sink(folder / "out");
  REQUIRE(sink.problems == "");
  CHECK(sink->guarantee() == "exactly_once");
  TestAttempt attempt;
  Writing writing(*sink, attempt);
  writing.write({"1|a|10"});
  writing.write({"2|null|11"});
  const auto first = writing.barrier(1);
  REQUIRE(first.size() == 1);
  CHECK(names(folder / "out") == std::vector<std::string>{".weir.job.0a0b0c0d.sink.00000000000000aa.1.0.0.pending"});
  CHECK(read_file(first[0].pending) == "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":null}\n");
  CHECK(writing.task.counters.rows_out.get() == 2);
  writing.write({"3|c|12"});
  const auto second = writing.barrier(2);
  commit(first);
  commit(second);
  CHECK(names(folder / "out") ==
        std::vector<std::string>{"part-000001-0-000-00000000.jsonl", "part-000002-0-000-00000000.jsonl"});
  CHECK(read_file(second[0].final) == "{\"id\":3,\"name\":\"c\"}\n");
}

TEST_CASE("an epoch without rows has no part") {
  TemporaryFolder folder;
  const auto sink = file_sink(folder / "out");
  TestAttempt attempt;
  Writing writing(*sink, attempt);
  CHECK(writing.barrier(1).empty());
  CHECK(names(folder / "out").empty());
}

TEST_CASE("a part that has reached its size or age is followed by another") {
  TemporaryFolder folder;
  const auto sink = file_sink(folder / "out", "roll: { size: 30B, interval: 10s }");
  REQUIRE(sink.problems == "");
  TestAttempt attempt;
  Writing writing(*sink, attempt);
  writing.write({"1|a|0"});
  writing.write({"2|b|0"});  // 40 bytes
  writing.write({"3|c|0"});
  attempt.clock.advance(Duration::seconds(10));
  writing.write({"4|d|0"});
  const auto parts = writing.barrier(1);
  REQUIRE(parts.size() == 3);
  CHECK(read_file(parts[0].pending) == "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n");
  CHECK(read_file(parts[2].pending) == "{\"id\":4,\"name\":\"d\"}\n");
}

TEST_CASE("at the end of the input the last part is finished") {
  TemporaryFolder folder;
  const auto sink = file_sink(folder / "out");
  TestAttempt attempt;
  Writing writing(*sink, attempt);
  writing.write({"1|a|0"});
  writing.finish(writing.op->on_end(writing.out));
  TaskSnapshot snapshot;
  writing.op->snapshot(snapshot);
  REQUIRE(snapshot.parts.size() == 1);
  CHECK(read_file(snapshot.parts[0].pending) == "{\"id\":1,\"name\":\"a\"}\n");
  CHECK(writing.barrier(1).empty());
}

TEST_CASE("each part of csv has a header") {
  TemporaryFolder folder;
  const auto sink = file_sink(folder / "out", "format: { type: csv, header: true }");
  REQUIRE(sink.problems == "");
  TestAttempt attempt;
  Writing writing(*sink, attempt);
  writing.write({"1|a|0"});
  const auto first = writing.barrier(1);
  writing.write({"2|b,|0"});
  const auto second = writing.barrier(2);
  CHECK(read_file(first.at(0).pending) == "id,name\n1,a\n");
  CHECK(read_file(second.at(0).pending) == "id,name\n2,\"b,\"\n");
  CHECK(second[0].final.ends_with(".csv"));
}

TEST_CASE("tasks, runs and epochs never share a name") {
  TemporaryFolder folder;
  const auto sink = file_sink(folder / "out");
  TestAttempt attempt;
  std::set<std::string> all;
  int parts = 0;
  for (const std::string run : {"00000000000000aa", "bbbbbbbb00000000"}) {
    attempt.start_again(run, Epoch{1});
    for (int index : {0, 1}) {
      Writing writing(*sink, attempt, index);
      for (std::uint64_t epoch : {1, 2}) {
        writing.write({"1|a|0"});
        for (const PendingPart& part : writing.barrier(epoch)) {
          all.insert(part.pending);
          all.insert(part.final);
          ++parts;
        }
      }
    }
  }
  CHECK(parts == 8);
  CHECK(all.size() == 16);
}

TEST_CASE("clearing up deletes what earlier runs of the job left, but for what is listed") {
  TemporaryFolder folder;
  const auto sink = file_sink(folder / "out");
  TestAttempt attempt;
  sink->clean_up("job", attempt.context().home, {});
  Writing writing(*sink, attempt);
  writing.write({"1|a|0"});
  const auto listed = writing.barrier(1);
  writing.write({"2|b|0"});
  writing.barrier(2);
  folder.write("out/.weir.other.0a0b0c0d.sink.00000000000000aa.1.0.0.pending", "of another job");
  folder.write("out/part-000000-0-000-00000000.jsonl", "committed");
  sink->clean_up("job", attempt.context().home, listed);
  CHECK(names(folder / "out") == std::vector<std::string>{".weir.job.0a0b0c0d.sink.00000000000000aa.1.0.0.pending",
                                                          ".weir.other.0a0b0c0d.sink.00000000000000aa.1.0.0.pending",
                                                          "part-000000-0-000-00000000.jsonl"});
  sink->clean_up("job", attempt.context().home, {});
  CHECK(names(folder / "out").size() == 2);
}

TEST_CASE("what another job of this name left, with checkpoints of its own, is not cleared up") {
  TemporaryFolder folder;
  const auto sink = file_sink(folder / "out");
  TestAttempt attempt;
  sink->clean_up("job", attempt.context().home, {});
  attempt.context().home = "ffffffff";
  Writing writing(*sink, attempt);
  writing.write({"1|a|0"});
  const auto theirs = writing.barrier(1);
  attempt.context().home = "0a0b0c0d";
  sink->clean_up("job", attempt.context().home, {});
  CHECK(read_file(theirs.at(0).pending) != "");
}

TEST_CASE("a listed part is found where the sink's folder is now, and nothing else is") {
  TemporaryFolder folder;
  const auto sink = file_sink(folder / "out");
  TestAttempt attempt;
  sink->clean_up("job", attempt.context().home, {});
  Writing writing(*sink, attempt);
  writing.write({"1|a|0"});
  const PendingPart part = writing.barrier(1).at(0);
  CHECK(sink->find_part("job", part) == part);
  CHECK_FALSE(sink->find_part("another", part));
  const std::string pending = std::filesystem::path(part.pending).filename().string(),
                    final = std::filesystem::path(part.final).filename().string();
  CHECK(sink->find_part("job", {"/gone/" + pending, "/gone/" + final}) == part);
  commit({part});
  CHECK(sink->find_part("job", {"/gone/" + pending, "/gone/" + final}) == part);
  std::filesystem::remove(part.final);
  CHECK_FALSE(sink->find_part("job", {"/gone/" + pending, "/gone/" + final}));
  const std::string victim = folder.write("victim", "").string();
  CHECK_FALSE(sink->find_part("job", {victim, part.final}));
  CHECK_FALSE(sink->find_part("job", {part.pending, victim}));
  CHECK_FALSE(sink->find_part("job", {(folder / "out/../victim").string(), part.final}));
  CHECK(sink->find_part("job", {part.pending, "/etc/" + final})->final == part.final);
}

TEST_CASE("a file sink stands what a task may do to it") {
  TemporaryFolder folder;
  const auto sink = file_sink(folder / "out", "roll: { size: 100B }");
  REQUIRE(sink.bound);
  std::vector<std::string> rows;
  std::multiset<std::string> expected, found;
  for (int i = 0; i < 50; ++i) {
    rows.push_back(fmt::format("{}|n{}|0", i, i));
    for (int way = 0; way < 24; ++way) expected.insert(fmt::format("{{\"id\":{},\"name\":\"n{}\"}}", i, i));
  }
  run_hostile(*sink, batch_of(kRows, rows));
  for (const std::string& name : names(folder / "out")) {
    const std::string text = read_file(folder / ("out/" + name));
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      found.insert(text.substr(at, text.find('\n', at) - at));
  }
  CHECK(found == expected);
}

TEST_CASE("a folder that cannot be made ends the attempt with its name") {
  TemporaryFolder folder;
  folder.write("file", "");
  const auto sink = file_sink(folder / "file/out");
  REQUIRE(sink.bound);
  TestAttempt attempt;
  Writing writing(*sink, attempt);
  writing.write({"1|a|0"});
  try {
    writing.barrier(1);
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.blame() == Blame::kUser);
    CHECK_THAT(e.text(), Catch::Contains("file/out"));
  }
}

TEST_CASE("raw writes one column and an errors stream its values") {
  TemporaryFolder folder;
  CHECK(file_sink(folder / "out", "format: raw", error_schema()).problems == "");
  CHECK(file_sink(folder / "out", "format: raw", schema_of("value varchar, _offset bigint")).problems == "");
  CHECK_THAT(file_sink(folder / "out", "format: raw").problems, Catch::Contains("format raw writes one column"));
}

TEST_CASE("a value of format raw that is more than a line follows on_error, and is not counted as written") {
  TemporaryFolder folder;
  const SchemaPtr schema = schema_of("value varchar");
  const BatchPtr values = batch_of(schema, {"a", "two\nlines", "b"});
  TestAttempt attempt;
  const auto skipping = file_sink(folder / "out", "format: raw\non_error: skip", schema);
  REQUIRE(skipping.problems == "");
  Writing writing(*skipping, attempt);
  writing.finish(writing.op->process(0, values, writing.out));
  const auto parts = writing.barrier(1);
  REQUIRE(parts.size() == 1);
  CHECK(read_file(parts[0].pending) == "a\nb\n");
  CHECK(writing.task.counters.rows_out.get() == 2);
  CHECK(writing.task.counters.errors.get() == 1);
  const auto failing = file_sink(folder / "out", "format: raw", schema);
  Writing fails(*failing, attempt, 1);
  CHECK_THROWS_WITH(fails.op->process(0, values, fails.out), Catch::Contains("a line break in a value"));
}

}  // namespace
}  // namespace weir
