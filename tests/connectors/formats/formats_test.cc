#include "connectors/formats/formats.h"

#include <catch2/catch.hpp>

#include "runtime/base/error.h"
#include "tests/connectors/formats/decoding.h"

namespace weir {

namespace {

class NoEnvironment final : public Environment {
 public:
  std::optional<std::string> variable(const std::string&) const override { return std::nullopt; }
  std::string file(const std::string& path) const override { throw Error(Blame::kUser, path); }
};

/// A pipeline of one source and one sink, whose formats are bound.
struct Bound {
  explicit Bound(const std::string& source_keys, const std::string& sink_keys = "") {
    for (Declaration& d : format_declarations()) catalogue.add(std::move(d));
    catalogue.add({.kind = ComponentKind::kSource, .name = "lines", .summary = "Lines."});
    catalogue.add({.kind = ComponentKind::kSink, .name = "lines", .summary = "Lines."});
    catalogue.add_not_supported_yet();
    text = std::make_shared<SourceText>("p.yaml", "name: p\nsources:\n  in: { type: lines" + source_keys +
                                                      " }\nsinks:\n  out: { from: in, type: lines" + sink_keys + " }\n");
    file = read_pipeline(text, {}, NoEnvironment(), catalogue, diagnostics);
    REQUIRE(file);
    if (file->sources[0].ok()) source = bind_source_format(file->sources[0], diagnostics);
    if (source && file->sinks[0].ok()) {
      std::vector<int> all;
      for (std::size_t i = 0; i < source->columns.size(); ++i) all.push_back(static_cast<int>(i));
      sink = bind_sink_format(file->sinks[0], Schema(source->columns), all, diagnostics);
    }
  }
  std::string problems() const {
    std::string all;
    for (const Diagnostic& d : diagnostics.sorted()) {
      const Position at = d.location.position();
      all += fmt::format("{}:{}: {}{}\n", at.line, at.column, d.text, d.hint.empty() ? "" : " (" + d.hint + ")");
    }
    return all;
  }
  std::string columns() const {
    std::string all;
    for (const Field& f : source->columns) all += f.name + " " + f.type.name() + (f.nullable ? "" : " not null") + ";";
    return all;
  }
  /// What records become when they are read and written again.
  std::string pass(const std::vector<std::string>& records) const {
    const Schema schema(source->columns);
    const auto decoder = source->decoders->make();
    test::Decoded d = test::decode(*decoder, schema, records);
    std::string all;
    for (const std::string& e : d.errors) all += "error " + e + "\n";
    const std::int64_t rows = d.columns[0]->size();
    Buffer out;
    std::vector<std::size_t> ends;
    sink->make()->encode(RecordBatch(std::make_shared<Schema>(schema), d.columns, rows), out, ends);
    for (std::size_t begin = 0; const std::size_t end : ends) {
      all += std::string(out.as<char>() + begin, end - begin) + "\n";
      begin = end;
    }
    return all;
  }

  Catalogue catalogue;
  Diagnostics diagnostics;
  std::shared_ptr<SourceText> text;
  std::optional<PipelineFile> file;
  std::optional<SourceFormat> source;
  std::shared_ptr<const EncoderFactory> sink;
};

}  // namespace

TEST_CASE("json is the format where none is written; without a schema it has one column") {
  const Bound b("");
  CHECK(b.problems() == "");
  REQUIRE(b.source);
  CHECK(b.columns() == "value json;");
  CHECK(b.source->framing.kind == RecordFraming::kNonEmptyLines);
  CHECK(b.pass({R"({"a": 1})", "[]"}) == "error 1: expected an object, found an array\n{\"value\":{\"a\":1}}\n");
}

TEST_CASE("options of json reach decoder and encoder") {
  const Bound b(
      ", schema: { id: bigint not null, at: timestamp }, format: { type: json, ignore_unknown: false, missing: fail, "
      "timestamp: sql }",
      ", format: { type: json, timestamp: epoch_millis }");
  CHECK(b.problems() == "");
  REQUIRE(b.source);
  CHECK(b.columns() == "id bigint not null;at timestamp;");
  CHECK(b.pass({R"({"id":1,"at":"2024-01-01 00:00:00"})", R"({"id":1})", R"({"id":1,"at":null,"x":1})",
                R"({"id":1,"at":1704067200000})"}) ==
        "error 1: field at: missing\nerror 2: unknown member \"x\" (`ignore_unknown` is false)\n"
        "error 3: field at: expected timestamp as in 2024-01-31 10:20:30, found number "
        "1704067200000\n{\"id\":1,\"at\":1704067200000}\n");
}

TEST_CASE("csv needs a schema and takes its options") {
  const Bound b(", schema: { id: int, s: varchar }, format: { type: csv, delimiter: \";\", null_text: NULL }",
                ", format: { type: csv, delimiter: tab, header: true }");
  CHECK(b.problems() == "");
  REQUIRE(b.source);
  CHECK(b.source->framing.kind == RecordFraming::kCsv);
  CHECK(b.pass({"1;NULL", "2;\"a\tb\""}) == "1\t\n2\t\"a\tb\"\n");
  CHECK(b.sink->preamble() == "id\ts\n");
  CHECK(Bound(", format: csv").problems() ==
        "3:30: format csv needs a schema (write schema: { id: bigint, name: varchar })\n");
  CHECK(
      Bound(", schema: { a: int }, format: { type: csv, delimiter: ab }").problems() ==
      "3:74: the delimiter of csv is one ASCII character (one byte), not 'ab' (write delimiter: \";\" or delimiter: tab)\n");
}

TEST_CASE("raw has one column of bytes or text") {
  const Bound b(", format: raw", ", format: raw");
  CHECK(b.problems() == "");
  REQUIRE(b.source);
  CHECK(b.columns() == "value bytea;");
  CHECK(b.source->framing.kind == RecordFraming::kLines);
  CHECK(b.pass({"a\xff", ""}) == "a\xff\n\n");
  CHECK(b.sink->null_record_column() == 0);
  CHECK(Bound(", schema: { value: varchar }, format: raw").problems() == "");
  CHECK(Bound(", schema: { a: varchar, b: varchar }, format: raw").problems() ==
        "3:30: format raw has one column, bytea or varchar (write schema: { value: varchar })\n");
  CHECK(Bound(", schema: { a: int, b: varchar }", ", format: raw").problems() ==
        "5:41: format raw writes one column, bytea or varchar, not a int, b varchar (choose it with value: [COLUMN])\n");
}

TEST_CASE("formats that are not built are refused, and so are bad types and options") {
  for (const char* name : {"avro", "protobuf", "debezium"})
    CHECK(Bound(std::string(", format: ") + name).problems().find("not supported yet") != std::string::npos);
  CHECK(Bound(", format: jsn").problems().find("did you mean json?") != std::string::npos);
  CHECK(Bound(", schema: { a: bigit }").problems() == "3:35: unknown type `bigit` (did you mean bigint?)\n");
  CHECK(Bound(", format: { type: json, missng: fail }").problems().find("did you mean missing?") != std::string::npos);
  CHECK(Bound(", format: { type: json, timestamp: never }").problems().find("timestamp") != std::string::npos);
}

}  // namespace weir
