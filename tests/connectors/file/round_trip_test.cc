#include <bit>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "connectors/file/file.h"
#include "connectors/formats/formats.h"
#include "runtime/data/decimal.h"
#include "runtime/data/json_text.h"
#include "tests/support/binding.h"
#include "tests/support/reading.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

/// Random values, the odd ones often.
class Values {
 public:
  explicit Values(unsigned seed) : random_(seed) {}

  ColumnPtr column(const Field& field, int rows) {
    ColumnBuilder b(field.type);
    for (int i = 0; i < rows; ++i) append(b, field.type, field.nullable);
    return b.finish();
  }

 private:
  int up_to(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n + 1)); }
  template <typename T>
  T any() {
    std::uint64_t bits = random_() >> up_to(63);
    if (up_to(1)) bits = ~bits + 1;
    return static_cast<T>(bits);
  }

  std::string text() {
    static const std::vector<std::string> kPieces{"",
                                                  "a",
                                                  "NULL",
                                                  "null",
                                                  "\"",
                                                  "\"\"",
                                                  ",",
                                                  ";",
                                                  "\t",
                                                  " ",
                                                  "\r",
                                                  "\n",
                                                  "\r\n",
                                                  "é",
                                                  "\\",
                                                  "\\N",
                                                  "'",
                                                  "{",
                                                  "[1]",
                                                  "-",
                                                  "0",
                                                  "\x01",
                                                  "\xef\xbb\xbf",
                                                  "\xf0\x9f\x98\x80",
                                                  std::string(1, '\0')};
    std::string s;
    for (int n = up_to(4); n > 0; --n) s += kPieces[static_cast<std::size_t>(up_to(static_cast<int>(kPieces.size()) - 1))];
    return s;
  }

  std::string bytes() {
    std::string s(static_cast<std::size_t>(up_to(9)), '\0');
    for (char& c : s) c = static_cast<char>(up_to(255));
    return s;
  }

  double number() {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
    const double odd[] = {0.0, -0.0,    kNaN, kInfinity, -kInfinity,        5e-324, 1.7976931348623157e308,
                          0.1, -123.45, 1e15, 1e-5,      9007199254740993.0};
    if (up_to(1)) return odd[up_to(11)];
    const double d = std::bit_cast<double>(random_());
    return std::isfinite(d) ? d : 1.5;
  }

  std::string json() {
    static const std::vector<std::string> kTexts{"{}", "[1,2.50]", R"({"a":{"b":null}})", "\"x,\\\"y\"",
                                                 "12", "true",     R"(["line\nbreak"])"};
    return kTexts[static_cast<std::size_t>(up_to(static_cast<int>(kTexts.size()) - 1))];
  }

  void append(ColumnBuilder& b, const Type& type, bool nullable) {
    if (nullable && up_to(4) == 0) return b.append_null();
    switch (type.kind()) {
      case TypeKind::kBoolean: return b.append_boolean(up_to(1));
      case TypeKind::kInt: return b.append_int(any<std::int32_t>());
      case TypeKind::kBigint: return b.append_bigint(any<std::int64_t>());
      case TypeKind::kDouble: return b.append_double(number());
      case TypeKind::kDecimal:
        return b.append_decimal(Int128{any<std::int64_t>()} * any<std::int64_t>() % power_of_ten(type.precision()));
      case TypeKind::kVarchar: return b.append_text(text());
      case TypeKind::kBytea: return b.append_text(bytes());
      case TypeKind::kDate: return b.append_int(any<std::int32_t>());
      case TypeKind::kTimestamp: return b.append_bigint(any<std::int64_t>());
      case TypeKind::kInterval: return b.append_interval({any<std::int32_t>(), any<std::int32_t>(), any<std::int64_t>()});
      case TypeKind::kJson: return b.append_text(json());
      case TypeKind::kRow:
        for (std::size_t i = 0; i < type.children().size(); ++i)
          append(b.child(static_cast<int>(i)), type.children()[i].type, true);
        return b.end_row();
      case TypeKind::kArray:
        for (int n = up_to(3); n > 0; --n) append(b.child(0), type.children()[0].type, true);
        return b.end_list();
      case TypeKind::kMap:
        for (int n = up_to(3), i = 0; i < n; ++i) {
          b.child(0).append_text(std::to_string(i) + text());
          append(b.child(1), type.children()[1].type, true);
        }
        return b.end_list();
    }
  }

  std::mt19937_64 random_;
};

/// A column's rows as text in which no two different values are alike.
std::vector<std::string> texts_of(const Column& c) {
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < c.size(); ++i) {
    if (!c.valid(i)) texts.emplace_back("none");
    else append_json(texts.emplace_back(), c, i);
  }
  return texts;
}

struct NamedType {
  std::string name, type;
};

struct NoOutput final : Output {
  void emit(int, BatchPtr) override { throw std::runtime_error("a file sink emits"); }
  bool full() const override { return false; }
};

/// Writes one batch by a file sink, as one part; its path.
std::string write(const BoundStep& sink, TestAttempt& attempt, const BatchPtr& batch) {
  TestTask task(attempt, "sink");
  const auto op = sink.create(attempt.context());
  NoOutput out;
  op->open(task.context());
  const auto finish = [&](Progress progress) {
    while (progress != Progress::kDone && task.wait_woken()) progress = op->resume(out);
    REQUIRE(progress == Progress::kDone);
  };
  finish(op->process(0, batch, out));
  finish(op->on_barrier({1}, out));
  TaskSnapshot snapshot;
  op->snapshot(snapshot);
  REQUIRE(snapshot.parts.size() == 1);
  std::filesystem::rename(snapshot.parts[0].pending, snapshot.parts[0].final);
  return snapshot.parts[0].final;
}

std::string quoted(const std::string& text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

/// Random rows of these columns, written by a sink and read by a source with the same format, must be the same.
void check_round_trip(const std::string& format, const std::vector<NamedType>& columns, unsigned seed, int rows = 200) {
  INFO(format << ", seed " << seed);
  Components all;
  for (Declaration& d : format_declarations()) all.add_format(std::move(d));
  add_file(all);
  TemporaryFolder folder;
  std::string schema;
  for (const NamedType& c : columns) schema += (schema.empty() ? "" : ", ") + quoted(c.name) + ": " + quoted(c.type);
  const std::string component = "type: file\npath: " + (folder / "out").string() + "\nformat: " + format;
  const auto source = bind_source(all, component + "\nschema: { " + schema + " }");
  REQUIRE(source.problems == "");
  const SchemaPtr rows_schema = source->ports().front().schema;
  const auto sink = bind_sink(all, component, {rows_schema});
  REQUIRE(sink.problems == "");
  Values values(seed);
  std::vector<ColumnPtr> written;
  for (const Field& f : rows_schema->fields()) written.push_back(values.column(f, rows));
  TestAttempt attempt;
  write(*sink, attempt, std::make_shared<const RecordBatch>(rows_schema, written, rows));
  const CollectedRows read = read_all(*source, attempt);
  for (std::size_t c = 0; c < written.size(); ++c) {
    INFO("column " << columns[c].name << " " << columns[c].type);
    std::vector<std::string> texts;
    for (const BatchPtr& batch : read.batches)
      for (std::string& text : texts_of(batch->column(static_cast<int>(c)))) texts.push_back(std::move(text));
    CHECK(texts == texts_of(*written[c]));
  }
}

const std::vector<NamedType> kScalars{{"b", "boolean"},       {"i", "int"},           {"l", "bigint"},      {"d", "double"},
                                      {"m", "decimal(10,3)"}, {"n", "decimal(38,0)"}, {"s", "varchar"},     {"x", "bytea"},
                                      {"on", "date"},         {"at", "timestamp"},    {"span", "interval"}, {"j", "json"}};
const std::vector<NamedType> kNested{{"r", "row(a int, s varchar, d double, x bytea, at timestamp)"},
                                     {"xs", "array(varchar)"},
                                     {"ds", "array(decimal(20,4))"},
                                     {"m", "map(varchar, interval)"},
                                     {"deep", "array(row(k date, v map(varchar, bigint)))"}};

TEST_CASE("what a sink writes its source reads: json") {
  for (unsigned seed = 1; seed <= 3; ++seed)
    for (const char* format : {"json", "{ type: json, timestamp: iso }", "{ type: json, timestamp: sql }"}) {
      check_round_trip(format, kScalars, seed);
      check_round_trip(format, kNested, seed);
    }
}

TEST_CASE("what a sink writes its source reads: csv") {
  const char* const formats[] = {"csv",
                                 "{ type: csv, header: true }",
                                 "{ type: csv, delimiter: \";\", null_text: NULL }",
                                 "{ type: csv, delimiter: tab, null_text: \"\\\\N\" }",
                                 "{ type: csv, delimiter: \"-\", null_text: \"0\" }",
                                 "{ type: csv, delimiter: \" \", null_text: \"null\", header: true }",
                                 "{ type: csv, delimiter: \"\\\\\" }"};
  for (unsigned seed = 1; seed <= 3; ++seed)
    for (const char* format : formats) {
      check_round_trip(format, kScalars, seed);
      check_round_trip(format, kNested, seed);
    }
}

TEST_CASE("what a sink writes its source reads: one column of csv") {
  for (const NamedType& c : kScalars)
    for (const char* format : {"{ type: csv, null_text: NULL }", "{ type: csv, null_text: \" \", header: true }"})
      check_round_trip(format, {c}, 7);
  for (unsigned seed = 1; seed <= 60; ++seed) check_round_trip("csv", {{"s", "varchar not null"}}, seed, 2);
  check_round_trip("csv", {{"xs", "array(varchar) not null"}}, 9);
}

TEST_CASE("what a sink writes its source reads: names of columns") {
  const std::vector<NamedType> odd{{"a,b", "int"}, {"c\"d", "int"}, {"e\nf", "int"}, {"\xef\xbb\xbfg", "int"},
                                   {" h ", "int"}, {"NULL", "int"}, {"é\r", "int"}};
  check_round_trip("json", odd, 1);
  check_round_trip("{ type: csv, header: true, null_text: NULL }", odd, 1);
  check_round_trip("{ type: csv, header: true, delimiter: tab }", {odd.rbegin(), odd.rend()}, 1);
}

}  // namespace
}  // namespace weir
