#include <catch2/catch.hpp>

#include "connectors/file/file.h"
#include "connectors/formats/formats.h"
#include "runtime/base/error.h"
#include "tests/support/binding.h"
#include "tests/support/reading.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

Binding<BoundSource> file_source(const std::filesystem::path& path, const std::string& yaml) {
  Components components;
  for (Declaration& d : format_declarations()) components.add_format(std::move(d));
  add_file(components);
  return bind_source(components, "type: file\npath: " + path.string() + "\n" + yaml);
}

const std::string kSchema = "schema: { id: bigint, name: varchar }\n";
using Rows = std::vector<std::string>;

std::string numbered(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += fmt::format("{{\"id\":{},\"name\":\"n{}\"}}\n", i, i);
  return text;
}

Rows numbered_rows(int from, int to) {
  Rows rows;
  for (int i = from; i < to; ++i) rows.push_back(fmt::format("{{\"id\":{},\"name\":\"n{}\"}}", i, i));
  return rows;
}

/// A reader in the middle of its work, as a restart would find it.
struct Reading {
  Reading(const BoundSource& bound, TestAttempt& a, std::vector<SplitState> splits) : attempt(a), task(a, "source") {
    reader = bound.create_reader(attempt.context());
    reader->open(task.context());
    reader->add_splits(std::move(splits));
    reader->no_more_splits();
  }
  void to_end() { read_to_end(*reader, attempt, task, out); }
  void once() { poll_something(*reader, attempt, task, out); }
  TestAttempt& attempt;
  TestTask task;
  std::unique_ptr<SourceReader> reader;
  CollectedRows out;
};

/// What comes out of a file that is read to its end, and read on when it holds `then`; or the error.
Rows read_on(const std::string& format, const std::string& first, const std::string& then) {
  TemporaryFolder folder;
  const auto path = folder.write("in", first);
  const auto source = file_source(path, format);
  REQUIRE(source.problems == "");
  TestAttempt attempt;
  Reading before(*source, attempt, source->create_enumerator(attempt.context())->discover({}));
  before.to_end();
  attempt.pool.settle();
  const std::vector<SplitState> splits = before.reader->splits();
  if (splits[0].next > 0) CHECK(source->create_enumerator(attempt.context())->restore(splits) == splits);
  folder.write("in", then);
  attempt.context().read_on = true;
  try {
    Reading after(*source, attempt, source->create_enumerator(attempt.context())->restore(splits));
    after.to_end();
    attempt.pool.settle();
    return after.out.rows;
  } catch (const Error& e) {
    CHECK(e.blame() == Blame::kRefused);
    std::string text(e.text());
    return {text.replace(text.find(path.string()), path.string().size(), "IN")};
  }
}

TEST_CASE("a file source reads the lines of a file in order") {
  TemporaryFolder folder;
  const auto source = file_source(folder.write("in.jsonl", numbered(0, 10'000)), kSchema);
  REQUIRE(source.problems == "");
  CHECK(source->bounded());
  TestAttempt attempt;
  const CollectedRows out = read_all(*source, attempt);
  CHECK(out.rows == numbered_rows(0, 10'000));
  CHECK(out.batches.size() < 20);
}

TEST_CASE("a json source without a schema has the whole object as its value") {
  TemporaryFolder folder;
  const auto source = file_source(folder.write("in.jsonl", "{\"a\":1}\n\n{\"b\":[2]}"), "");
  REQUIRE(source.bound);
  TestAttempt attempt;
  CHECK(read_all(*source, attempt).rows == Rows{R"({"value":{"a":1}})", R"({"value":{"b":[2]}})"});
}

TEST_CASE("csv has a header in each file and quotes that go over lines") {
  TemporaryFolder folder;
  folder.write("in/a.csv", "name,id\nx,1\n\"two\nlines\",2\n");
  folder.write("in/b.csv", "id,name\n3,\n");
  folder.write("in/c.csv", "id,name\n");
  folder.write("in/.hidden", "nonsense\n");
  const auto source = file_source(folder / "in", kSchema + "format: { type: csv, header: true }");
  REQUIRE(source.problems == "");
  TestAttempt attempt;
  CHECK(read_all(*source, attempt).rows ==
        Rows{R"({"id":1,"name":"x"})", R"({"id":2,"name":"two\nlines"})", R"({"id":3,"name":null})"});
}

TEST_CASE("a stray quote in csv is an error of its row only") {
  TemporaryFolder folder;
  const auto source = file_source(folder.write("in.csv", "1;5\" pipe\n2;x\n3;\"a\"b\"\n4;\"two\nlines\"\n"),
                                  kSchema + "format: { type: csv, delimiter: \";\" }\non_error: skip");
  REQUIRE(source.problems == "");
  TestAttempt attempt;
  CHECK(read_all(*source, attempt).rows == Rows{R"({"id":2,"name":"x"})", R"({"id":4,"name":"two\nlines"})"});
}

TEST_CASE("a header without a column of the schema ends the job at its place") {
  TemporaryFolder folder;
  const auto path = folder.write("in.csv", "id,nam\n1,x\n");
  const auto source = file_source(path, kSchema + "format: { type: csv, header: true }");
  REQUIRE(source.bound);
  TestAttempt attempt;
  CHECK_THROWS_WITH(read_all(*source, attempt), Catch::Contains(path.string() + ":1: ") && Catch::Contains("name"));
}

TEST_CASE("raw lines are kept as they are, empty ones too") {
  TemporaryFolder folder;
  const auto source = file_source(folder.write("in.txt", "a\n\n b\r\nc"), "format: raw\nschema: { value: varchar }");
  REQUIRE(source.problems == "");
  TestAttempt attempt;
  CHECK(read_all(*source, attempt).rows ==
        Rows{R"({"value":"a"})", R"({"value":""})", R"({"value":" b\r"})", R"({"value":"c"})"});
}

TEST_CASE("a pattern stands for the files that match it, by name") {
  TemporaryFolder folder;
  folder.write("b-2.jsonl", numbered(2, 3));
  folder.write("b-1.jsonl", numbered(1, 2));
  folder.write("c.jsonl", numbered(3, 4));
  const auto source = file_source(folder / "b-*.jsonl", kSchema);
  REQUIRE(source.bound);
  TestAttempt attempt;
  CHECK(read_all(*source, attempt).rows == numbered_rows(1, 3));
}

TEST_CASE("files that are no text are refused as a whole, by what they are") {
  const auto packed = [](const char* kind) {
    return fmt::format(" is compressed ({}), which is not supported yet: unpack it", kind);
  };
  const std::string lz("\x28\xb5\x2f\xfd\x24", 5), le("\xff\xfe{\0}\0", 6), be("\xfe\xff\0{\0}", 6), bare("{\0\"\0a\0", 6);
  const std::string gz("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10), utf16 = " is UTF-16: save it as UTF-8";
  const std::pair<std::string, std::string> kinds[] = {{gz, packed("gzip")}, {lz, packed("zstd")}, {le, utf16}, {be, utf16}};
  const std::string header = kSchema + "format: { type: csv, header: true }\n";
  for (const std::string& format : {kSchema, header, std::string("format: raw\n"), kSchema + "format: csv\n"})
    for (const auto& [bytes, message] : kinds) {
      TemporaryFolder folder;
      const auto path = folder.write("in", bytes);
      TestAttempt attempt;
      CHECK_THROWS_WITH(read_all(*file_source(path, format + "on_error: skip"), attempt),
                        "the file " + path.string() + message);
    }
  TemporaryFolder folder;
  TestAttempt attempt;
  CHECK_THROWS_WITH(read_all(*file_source(folder.write("in", bare), kSchema), attempt), Catch::Contains("is UTF-16"));
  CHECK(read_all(*file_source(folder.write("raw", "\x1f"), "format: raw"), attempt).rows == Rows{R"({"value":"Hw=="})"});
}

TEST_CASE("a quote that is never closed costs its line, at its place") {
  TemporaryFolder folder;
  const auto path = folder.write("in.csv", "1,a\n2,\"two\nlines\"\n3,é;\n4,\"never\n5,b\n6,c\n");
  const std::string csv = kSchema + "format: csv\n";
  TestAttempt attempt;
  CHECK(read_all(*file_source(path, csv + "on_error: skip"), attempt).rows ==
        Rows{R"({"id":1,"name":"a"})", R"({"id":2,"name":"two\nlines"})", R"({"id":3,"name":"é;"})",
             R"({"id":5,"name":"b"})", R"({"id":6,"name":"c"})"});
  CHECK_THROWS_WITH(read_all(*file_source(path, csv), attempt),
                    Catch::Contains(path.string() + ":5:3: truncated: the quote at byte 2 is not closed"));
  const auto second = folder.write("second.csv", "\"1\",\"é\nx\",\"never\n2,b\n");
  const std::string three = "schema: { id: int, s: varchar, t: varchar }\nformat: csv";
  CHECK_THROWS_WITH(read_all(*file_source(second, three), attempt), Catch::Contains(":2:4: truncated"));
  CHECK(
      read_on(csv + "on_error: skip", "1,a\n2,\"b\n3,c\n", "1,a\n2,\"b\n3,c\n4\"\n") ==
      Rows{"source source: the file IN is not what it was when it was read: its last line, 4, had no end then (a quote was "
           "open), was taken as it was, and goes on now (start anew with --fresh)"});
}

TEST_CASE("a path without a file is an error that names it") {
  TemporaryFolder folder;
  TestAttempt attempt;
  CHECK_THROWS_WITH(read_all(*file_source(folder / "none.jsonl", kSchema), attempt),
                    Catch::Contains("there is no file or folder") && Catch::Contains("none.jsonl"));
  CHECK_THROWS_WITH(read_all(*file_source(folder / "none-*.jsonl", kSchema), attempt), Catch::Contains("no file matches"));
  CHECK(read_all(*file_source(folder.path(), kSchema), attempt).rows.empty());
}

TEST_CASE("reading goes on anywhere and nothing is lost or doubled") {
  TemporaryFolder folder;
  folder.write("a.jsonl", numbered(0, 7000));
  folder.write("b.jsonl", numbered(7000, 9000));
  const auto source = file_source(folder.path(), kSchema);
  REQUIRE(source.bound);
  TestAttempt attempt;
  std::vector<SplitState> splits = source->create_enumerator(attempt.context())->discover({});
  Rows rows;
  int rounds = 0;
  bool ended = false;
  while (!ended) {
    Reading reading(*source, attempt, source->create_enumerator(attempt.context())->restore(splits));
    reading.once();
    rows.insert(rows.end(), reading.out.rows.begin(), reading.out.rows.end());
    splits = reading.reader->splits();
    ended = std::all_of(splits.begin(), splits.end(), [](const SplitState& s) { return s.ended; });
    ++rounds;
  }
  CHECK(rounds > 4);
  CHECK(rows == numbered_rows(0, 9000));
  CHECK(splits[1].fingerprint.starts_with("line 2001, "));
}

TEST_CASE("csv that is gone on with in the middle knows its header and its lines") {
  TemporaryFolder folder;
  std::string text = "name,id\n";
  for (int i = 0; i < 5000; ++i) text += fmt::format("n{},{}\n", i, i);
  const auto path = folder.write("a.csv", text + "bad,x\n");
  const auto source = file_source(path, kSchema + "format: { type: csv, header: true }");
  REQUIRE(source.bound);
  TestAttempt attempt;
  Reading first(*source, attempt, source->create_enumerator(attempt.context())->discover({}));
  first.once();
  const std::size_t read = first.out.rows.size();
  REQUIRE(read < 5000);
  Reading second(*source, attempt, first.reader->splits());
  CHECK_THROWS_WITH(second.to_end(), Catch::Contains(path.string() + ":5002: "));
  CHECK(second.out.rows.at(0) == numbered_rows(static_cast<int>(read), 5000).at(0));
}

TEST_CASE("a bad line follows on_error") {
  TemporaryFolder folder;
  const auto path = folder.write("in.jsonl", numbered(0, 2) + "{\"id\":\"x\"}\n" + numbered(2, 3) + "nonsense\n");
  TestAttempt attempt;
  try {
    read_all(*file_source(path, kSchema), attempt);
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.blame() == Blame::kData);
    CHECK_THAT(e.text(), Catch::StartsWith("source source: " + path.string() + ":3: ") && Catch::Contains("field id"));
  }
  CHECK(read_all(*file_source(path, kSchema + "on_error: skip"), attempt).rows == numbered_rows(0, 3));
  const CollectedRows out = read_all(*file_source(path, kSchema + "on_error: emit"), attempt);
  CHECK(out.rows == numbered_rows(0, 3));
  REQUIRE(out.errors.size() == 2);
  CHECK_THAT(out.errors[1], Catch::Contains(path.string() + ":5: ") &&
                                Catch::Contains(fmt::format("\"offset\":{}", numbered(0, 3).size() + 11)) &&
                                Catch::Contains("\"topic\":\"" + path.string() + "\"") &&
                                Catch::Contains("\"step\":\"source\""));
}

TEST_CASE("a file that is gone, shorter or changed is refused at a restore") {
  TemporaryFolder folder;
  const auto path = folder.write("in.jsonl", numbered(0, 5000));
  const auto source = file_source(path, kSchema);
  REQUIRE(source.bound);
  TestAttempt attempt;
  Reading reading(*source, attempt, source->create_enumerator(attempt.context())->discover({}));
  reading.once();
  const std::vector<SplitState> splits = reading.reader->splits();
  const auto restore = [&] { return source->create_enumerator(attempt.context())->restore(splits); };
  attempt.pool.settle();
  CHECK(restore() == splits);
  folder.write("in.jsonl", numbered(10'000, 15'000));
  CHECK_THROWS_WITH(restore(), Catch::Contains("is not what it was") && Catch::Contains("line 2001"));
  folder.write("in.jsonl", numbered(0, 4000));
  CHECK_THROWS_WITH(restore(), Catch::Contains("has shrunk"));
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(restore(), Catch::Contains("cannot be opened"));
}

TEST_CASE("a job that goes on does not see what came later, unless it reads on") {
  TemporaryFolder folder;
  folder.write("a.jsonl", "{\"id\":0,\"name\":\"n0\"}");  // without a line feed
  const auto source = file_source(folder.path(), kSchema);
  REQUIRE(source.bound);
  TestAttempt attempt;
  Reading first(*source, attempt, source->create_enumerator(attempt.context())->discover({}));
  first.to_end();
  const std::vector<SplitState> splits = first.reader->splits();
  CHECK(first.out.rows == numbered_rows(0, 1));
  attempt.pool.settle();
  folder.write("a.jsonl", numbered(0, 3));
  folder.write("b.jsonl", numbered(3, 4));
  CHECK(source->create_enumerator(attempt.context())->restore(splits) == splits);
  CHECK(source->create_enumerator(attempt.context())->discover(splits).empty());
  attempt.context().read_on = true;
  const auto enumerator = source->create_enumerator(attempt.context());
  std::vector<SplitState> more = enumerator->restore(splits);
  for (const SplitState& split : enumerator->discover(more)) more.push_back(split);
  Reading second(*source, attempt, more);
  second.to_end();
  CHECK(second.out.rows == numbered_rows(1, 4));
}

TEST_CASE("a line that was handed out without its end is not gone on with") {
  const auto refused = [](int line) {
    return Rows{
        fmt::format("source source: the file IN is not what it was when it was read: its last line, {}, had no end then, "
                    "was taken as it was, and goes on now (start anew with --fresh)",
                    line)};
  };
  const std::string raw = "format: raw\nschema: { value: varchar }", csv = "format: csv\nschema: { id: int, name: varchar }",
                    header = "format: { type: csv, header: true }\nschema: { id: int }",
                    json = "schema: { id: int }\non_error: skip";
  CHECK(read_on(raw, "a\nb", "a\nbc\nd\n") == refused(2));
  CHECK(read_on(raw, "a\nb", "a\nb\r") == refused(2));
  CHECK(read_on(csv, "1,a\n2,b", "1,a\n2,bc\n3,d\n") == refused(2));
  CHECK(read_on(csv, "1,a\n2,\"x\ny\"", "1,a\n2,\"x\ny\"\"z\"\n3,d\n") == refused(3));
  CHECK(read_on(header, "id", "id2\n1\n") == refused(1));
  CHECK(read_on(json, "{\"id\":1}\n{\"id\":2}", "{\"id\":1}\n{\"id\":2} {\"id\":3}\n") == refused(2));
  CHECK(read_on(json, "{\"id\":1}\n{\"id\":", "{\"id\":1}\n{\"id\":3}\n") == refused(2));

  CHECK(read_on(raw, "a\nb", "a\nb\nc") == Rows{R"({"value":"c"})"});
  CHECK(read_on(raw, "a\nb", "a\nb\r\nc\r\n") == Rows{R"({"value":"c\r"})"});
  CHECK(read_on(raw, "a\nb", "a\nb\n\n") == Rows{R"({"value":""})"});
  CHECK(read_on(raw, "a\nb\n", "a\nb\nc") == Rows{R"({"value":"c"})"});
  CHECK(read_on(raw, "a", "a\n").empty());
  CHECK(read_on(csv, "1,a\n2,b", "1,a\n2,b\r\n3,d\r\n") == Rows{R"({"id":3,"name":"d"})"});
  CHECK(read_on(csv, "1,a\n2,\"x\ny\"", "1,a\n2,\"x\ny\"\n3,\n") == Rows{R"({"id":3,"name":null})"});
  CHECK(read_on(header, "id", "id\r\n1\n") == Rows{R"({"id":1})"});
  CHECK(read_on(json, "{\"id\":1}", "{\"id\":1}\n{\"id\":2}") == Rows{R"({"id":2})"});
}

TEST_CASE("empty lines at the end and files without rows are read on") {
  const std::string json = "schema: { id: int }", csv = "format: csv\nschema: { id: int }",
                    header = "format: { type: csv, header: true }\nschema: { id: int }";
  CHECK(read_on(json, "{\"id\":1}\n\n\n", "{\"id\":1}\n\n\n{\"id\":2}") == Rows{R"({"id":2})"});
  CHECK(read_on(csv, "1\n\r\n", "1\n\r\n2\n") == Rows{R"({"id":2})"});
  CHECK(read_on(json, "", "{\"id\":2}\n") == Rows{R"({"id":2})"});
  CHECK(read_on(json, "\n\n", "\n\n{\"id\":2}\n") == Rows{R"({"id":2})"});
  CHECK(read_on(json, "\xef\xbb\xbf", "\xef\xbb\xbf{\"id\":2}\n") == Rows{R"({"id":2})"});
  CHECK(read_on(header, "\xef\xbb\xbf", "\xef\xbb\xbfid\n2\n") == Rows{R"({"id":2})"});
  CHECK(read_on(header, "id\n", "id\n2\n") == Rows{R"({"id":2})"});
  CHECK(read_on(header, "id\n", "no\n2\n").at(0).find("is not what it was") != std::string::npos);
}

TEST_CASE("two stars within a name are refused with what to write") {
  TemporaryFolder folder;
  CHECK_THAT(file_source("in/**.jsonl", kSchema).problems,
             Catch::Contains("alone between slashes") && Catch::Contains("write in/**/*.jsonl"));
}

TEST_CASE("a schema that does not fit the format is refused") {
  TemporaryFolder folder;
  CHECK_THAT(file_source(folder.path(), "format: csv").problems, Catch::Contains("format csv needs a schema"));
}

}  // namespace
}  // namespace weir
