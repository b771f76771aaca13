#include "connectors/formats/csv/csv.h"

#include <catch2/catch.hpp>

#include "connectors/formats/formats.h"
#include "tests/connectors/formats/decoding.h"

namespace weir {

using test::decode;
using test::Decoded;
using test::schema_of;

namespace {

const Schema kSchema = schema_of({{"id", "bigint not null"}, {"name", "varchar"}, {"price", "double"}});

Decoded read(const std::vector<std::string>& records, CsvOptions options = {}, const Schema& schema = kSchema) {
  CsvDecoder decoder(schema, options);
  return decode(decoder, schema, records);
}

std::vector<std::string> written(const Schema& schema, std::vector<ColumnPtr> columns, CsvOptions options = {}) {
  const std::int64_t rows = columns[0]->size();
  std::vector<int> all;
  for (int i = 0; i < schema.size(); ++i) all.push_back(i);
  CsvEncoder encoder(all, options);
  Buffer out;
  std::vector<std::size_t> ends;
  encoder.encode(RecordBatch(std::make_shared<Schema>(schema), std::move(columns), rows), out, ends);
  std::vector<std::string> records;
  for (std::size_t begin = 0; std::size_t end : ends) {
    records.emplace_back(out.as<char>() + begin, end - begin);
    begin = end;
  }
  return records;
}

}  // namespace

TEST_CASE("fields are the columns in order; quotes protect and null is not empty") {
  const Decoded d = read({"1,a,2.5", "2,\"b,\"\"c\"\"\nd\",", "3,\"\",1e3\r\n", "4,,\"5\""});
  CHECK(d.errors.empty());
  CHECK(d.rows == std::vector<std::string>{R"({"id":1,"name":"a","price":2.5})",
                                           R"({"id":2,"name":"b,\"c\"\nd","price":null})",
                                           R"({"id":3,"name":"","price":1000})", R"({"id":4,"name":null,"price":5})"});
}

TEST_CASE("a record that does not fit says where and leaves nothing") {
  const Decoded d = read(
      {"x,a,1", "1,a", "1,a,1,2", "1,\"a,1", "1,\"a\"b,1", "1,a\"b,1", ",a,1", "1,a,abc", "1,\xff,1", "1,a\nb,1", "7,ok,0"});
  CHECK(d.rows == std::vector<std::string>{R"({"id":7,"name":"ok","price":0})"});
  CHECK(d.errors ==
        std::vector<std::string>{"0: field id: invalid input syntax for type bigint: \"x\"", "1: expected 3 fields, found 2",
                                 "2: expected 3 fields, found 4", "3: truncated: the quote at byte 2 is not closed",
                                 "4: expected `,` behind a closing quote, found `b` at byte 5",
                                 "5: a quote outside of quotes at byte 3", "6: field id: null, and declared not null",
                                 "7: field price: invalid input syntax for type double: \"abc\"",
                                 "8: invalid UTF-8 at byte 2: 0xff", "9: a line break outside of quotes at byte 3"});
}

TEST_CASE("delimiter and the text for null can be chosen") {
  const CsvOptions options{.delimiter = ';', .null_text = "NULL"};
  const Decoded d = read({"1;a,b;NULL", "2;\"NULL\";1", "3;;2"}, options);
  CHECK(d.rows == std::vector<std::string>{R"({"id":1,"name":"a,b","price":null})", R"({"id":2,"name":"NULL","price":1})",
                                           R"({"id":3,"name":"","price":2})"});
  CHECK(written(kSchema, d.columns, options) == std::vector<std::string>{"1;a,b;NULL", "2;\"NULL\";1", "3;;2"});
}

TEST_CASE("with a header fields are found by name") {
  CsvDecoder decoder(kSchema, {.header = true});
  CHECK(!decoder.take_header("price,other,\"id\",name\r"));
  const Decoded d = decode(decoder, kSchema, {"1.5,x,7,a", "1,2"});
  CHECK(d.rows == std::vector<std::string>{R"({"id":7,"name":"a","price":1.5})"});
  CHECK(d.errors == std::vector<std::string>{"1: expected 4 fields, found 2"});
  CHECK(decoder.take_header("price,id") == "the header has no column name: price,id");
  CHECK(decoder.take_header("id,price,name,id") == "the header names the column id twice: id,price,name,id");
  CHECK(decoder.take_header("id,\"price") == "the header: truncated: the quote at byte 3 is not closed");
}

TEST_CASE("every type goes out and comes back the same") {
  const Schema schema = schema_of({{"b", "boolean"},
                                   {"m", "decimal(10,2)"},
                                   {"x", "bytea"},
                                   {"d", "date"},
                                   {"t", "timestamp"},
                                   {"i", "interval"},
                                   {"j", "json"},
                                   {"r", "row(a int, s varchar)"},
                                   {"xs", "array(varchar)"},
                                   {"mm", "map(varchar, int)"}});
  const std::vector<std::string> records{
      R"csv(t,12.50,\x00ff,2024-02-29,2024-02-29 12:34:56.5,1 day 02:00:00,"{""a"":[1,2]}","{""a"":1,""s"":""x,y""}","[""p"",null]","{""k"":1}")csv",
      R"csv(f,-0.01,\x,0001-01-01,1969-12-31 23:59:59.999999,00:00:00,1,,[],{})csv", ",,,,,,,,,"};
  CsvDecoder decoder(schema, {});
  const Decoded d = decode(decoder, schema, records);
  CHECK(d.errors.empty());
  CHECK(written(schema, d.columns) == records);
}

TEST_CASE("fields are quoted where they would not read back otherwise") {
  ColumnBuilder text(Type::varchar());
  const std::vector<std::string> texts{"plain", "", "a,b", "a\"b", "line\nbreak", "cr\rhere", " blank ", "é"};
  for (const std::string& t : texts) text.append_text(t);
  text.append_null();
  const Schema schema = schema_of({{"s", "varchar"}});
  const std::vector<ColumnPtr> columns{text.finish()};
  const auto records = written(schema, columns);
  CHECK(records == std::vector<std::string>{"plain", "\"\"", "\"a,b\"", "\"a\"\"b\"", "\"line\nbreak\"", "\"cr\rhere\"",
                                            " blank ", "é", ""});
  CHECK(written(schema, read(records, {}, schema).columns) == records);
}

TEST_CASE("nested values in a field must be JSON") {
  const Schema schema = schema_of({{"xs", "array(int)"}});
  const Decoded d = read({"\"[1,2]\"", "\"[1,\"", "\"[1] 2\"", "\"[1,\"\"x\"\"]\"", "x"}, {}, schema);
  CHECK(d.rows == std::vector<std::string>{R"({"xs":[1,2]})"});
  CHECK(d.errors.size() == 4);
}

TEST_CASE("files of csv with a header begin with it") {
  const Schema schema = schema_of({{"id", "bigint"}, {"a,b", "varchar"}});
  CHECK(csv_encoders(schema, {1, 0}, {.header = true})->preamble() == "\"a,b\",id\n");
  CHECK(csv_encoders(schema, {1, 0}, {})->preamble().empty());
  CHECK(csv_decoders(schema, {.header = true})->has_header());
}

TEST_CASE("a json column is compact, and dates of all years read back") {
  const Schema schema = schema_of({{"j", "json"}, {"d", "date"}, {"t", "timestamp"}});
  ColumnBuilder json(Type::json()), date(Type::date()), time(Type::timestamp());
  json.append_text("[1,\n  2]");
  date.append_int(2932897);
  time.append_bigint(-719528LL * 86'400'000'000);
  const auto records = written(schema, {json.finish(), date.finish(), time.finish()});
  CHECK(records == std::vector<std::string>{"\"[1,2]\",10000-01-01,0001-01-01 00:00:00 BC"});
  CHECK(written(schema, read(records, {}, schema).columns) == records);
}

TEST_CASE("what would be read as something else is quoted") {
  const Schema one = schema_of({{"s", "varchar"}}), two = schema_of({{"s", "varchar"}, {"t", "varchar"}});
  const auto column = [](const std::vector<const char*>& texts) {
    ColumnBuilder b(Type::varchar());
    for (const char* t : texts) t ? b.append_text(t) : b.append_null();
    return b.finish();
  };
  const CsvOptions null{.null_text = "NULL"};
  const std::vector<std::string> alone =
      written(one, {column({"", "NULL", nullptr, "\xef\xbb\xbfx", "x\xef\xbb\xbf"})}, null);
  CHECK(alone == std::vector<std::string>{"\"\"", "\"NULL\"", "NULL", "\"\xef\xbb\xbfx\"", "x\xef\xbb\xbf"});
  CHECK(written(one, read(alone, null, one).columns, null) == alone);
  CHECK(written(two, {column({""}), column({""})}, null) == std::vector<std::string>{","});
  CHECK(written(two, {column({nullptr}), column({""})}) == std::vector<std::string>{",\"\""});
}

TEST_CASE("a byte-order mark within a record is text") {
  const Schema schema = schema_of({{"s", "varchar"}});
  CHECK(read({"\xef\xbb\xbftwo"}, {}, schema).rows == std::vector<std::string>{"{\"s\":\"\xef\xbb\xbftwo\"}"});
}

TEST_CASE("null in a json field of csv is JSON's") {
  const Schema schema = schema_of({{"j", "json"}, {"k", "json"}});
  const Decoded d = read({"null,"}, {}, schema);
  REQUIRE(d.columns.size() == 2);
  CHECK(d.columns[0]->valid(0));
  CHECK_FALSE(d.columns[1]->valid(0));
  CHECK(written(schema, d.columns) == std::vector<std::string>{"null,"});
}

TEST_CASE("csv reads points in time as json does") {
  const Schema schema = schema_of({{"t", "timestamp"}});
  const Decoded d = read({"\"2022-08-01 04:12:02,278\"", "2016-12-31T23:59:60Z", "2024-01-01T00:00:00 +05:30",
                          "2024-01-05 7:08:09", "20240101T120000Z", "0000-12-31T00:00:00Z", "2023-02-29"},
                         {}, schema);
  CHECK(d.rows == std::vector<std::string>{R"({"t":"2022-08-01T04:12:02.278Z"})", R"({"t":"2017-01-01T00:00:00.000Z"})",
                                           R"({"t":"2023-12-31T18:30:00.000Z"})", R"({"t":"2024-01-05T07:08:09.000Z"})",
                                           R"({"t":"2024-01-01T12:00:00.000Z"})", R"({"t":"0000-12-31T00:00:00.000Z"})"});
  CHECK(d.errors ==
        std::vector<std::string>{"6: field t: date/time field value out of range: \"2023-02-29\": there is no such day"});
}

TEST_CASE("a message shows whole characters") {
  const Decoded d = read({"1,\"a\"é,1"});
  CHECK(d.errors == std::vector<std::string>{"0: expected `,` behind a closing quote, found `é` at byte 5"});
}

}  // namespace weir
