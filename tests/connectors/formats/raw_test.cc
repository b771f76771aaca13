#include "connectors/formats/raw.h"

#include <catch2/catch.hpp>

#include "connectors/formats/formats.h"
#include "connectors/formats/line_encoder.h"
#include "tests/connectors/formats/decoding.h"
#include "tests/support/batches.h"

namespace weir {

TEST_CASE("raw bytes pass unchanged; raw text must be UTF-8") {
  const Schema bytes = test::schema_of({{"value", "bytea"}}), text = test::schema_of({{"value", "varchar"}});
  RawDecoder as_bytes(bytes[0]), as_text(text[0]);
  const std::vector<std::string> records{"a", "", "\xff", "é"};
  const test::Decoded b = test::decode(as_bytes, bytes, records), t = test::decode(as_text, text, records);
  CHECK(b.errors.empty());
  CHECK(b.columns[0]->text(2) == "\xff");
  CHECK(t.rows == std::vector<std::string>{R"({"value":"a"})", R"({"value":""})", R"({"value":"é"})"});
  CHECK(t.errors == std::vector<std::string>{"2: field value: expected varchar, found invalid UTF-8 at byte 0: 0xff"});
}

TEST_CASE("raw writes one column, other types as text, and says which column makes null records") {
  ColumnBuilder key(Type::bigint()), value(Type::bytea());
  key.append_bigint(-7), key.append_null();
  value.append_text("\xff\n"), value.append_text("");
  const auto schema = std::make_shared<Schema>(test::schema_of({{"k", "bigint"}, {"v", "bytea"}}));
  const RecordBatch batch(schema, {key.finish(), value.finish()}, 2);
  const auto encode = [&](int column) {
    Buffer out;
    std::vector<std::size_t> ends;
    raw_encoders(column)->make()->encode(batch, out, ends);
    CHECK(ends.size() == 2);
    return std::string(out.as<char>(), out.size());
  };
  CHECK(encode(0) == "-7");
  CHECK(encode(1) == "\xff\n");
  CHECK(raw_encoders(1)->null_record_column() == 1);
}

TEST_CASE("raw values that are more than a line are emitted as errors, once each") {
  struct Errors final : Output {
    void emit(int port, BatchPtr batch) override {
      CHECK(port == 0);
      for (const std::string& row : rows_of(*batch)) rows.push_back(row);
    }
    bool full() const override { return false; }
    std::vector<std::string> rows;
  } errors;
  LineEncoder encoder({.encoders = raw_encoders(0),
                       .with_op = nullptr,
                       .sink = "out",
                       .on_error = OnError::kEmit,
                       .refuses_line_feeds = true});
  TaskCounters counters;
  std::string lines;
  CHECK(encoder.encode(*batch_of(schema_of("value varchar"), {"a", "b\nc", "\n", "d"}), lines, counters, errors) == 2);
  CHECK(lines == "a\nd\n");
  CHECK(counters.errors.get() == 2);
  REQUIRE(errors.rows.size() == 2);
  CHECK_THAT(errors.rows[0], Catch::Contains("a line break in a value that format raw writes as one line") &&
                                 Catch::Contains("\"step\":\"out\""));
}

}  // namespace weir
