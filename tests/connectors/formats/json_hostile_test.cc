#include <catch2/catch.hpp>
#include <random>

#include "connectors/formats/json/json_decoder.h"
#include "tests/connectors/formats/decoding.h"

namespace weir {

namespace {

const std::string kDocument =
    R"({"id":-12,"name":"a\u00e9\"b","price":1.5e2,"at":"2024-02-29T12:34:56.789Z","d":12.34,"ok":true,"raw":"AP8Q",)"
    R"("r":{"a":1,"xs":[1,2,null],"m":{"k":{"v":1},"l":null}},"j":{"x":[1,2.5,"é",false,null]},"gone":[{"y":[]},"z"],"last":"2024-02-29"})";

Schema schema() {
  return test::schema_of({{"id", "bigint"},
                          {"name", "varchar"},
                          {"price", "double"},
                          {"at", "timestamp"},
                          {"d", "decimal(10,2)"},
                          {"ok", "boolean"},
                          {"raw", "bytea"},
                          {"r", "row(a int, xs array(int), m map(varchar, row(v int)))"},
                          {"j", "json"},
                          {"last", "date"}});
}

/// Decodes the records twice, once in the middle of good ones; decode() checks that no column has more or fewer values than
/// there are rows.
test::Decoded decode_hostile(const std::vector<std::string>& records) {
  const Schema s = schema();
  JsonDecoder decoder(s, {});
  std::vector<std::string> mixed;
  for (const std::string& r : records) {
    mixed.push_back(kDocument);
    mixed.push_back(r);
  }
  const test::Decoded alone = test::decode(decoder, s, records), among = test::decode(decoder, s, mixed);
  CHECK(among.errors.size() == alone.errors.size());
  return alone;
}

}  // namespace

TEST_CASE("every truncation of a document is an error of that record only") {
  std::vector<std::string> records;
  for (std::size_t n = 0; n < kDocument.size(); ++n) records.push_back(kDocument.substr(0, n));
  const test::Decoded d = decode_hostile(records);
  CHECK(d.rows.empty());
  CHECK(d.errors.size() == kDocument.size());
}

TEST_CASE("every byte of a document replaced by others is read or refused, never trusted") {
  for (const char c : {'"', '\\', '{', '}', '[',  ']',  ':',    ',',    '0',    '-',   '.',
                       'e', 'n',  '#', ' ', '\n', '\0', '\x1f', '\x80', '\xc3', '\xff'}) {
    std::vector<std::string> records(kDocument.size(), kDocument);
    for (std::size_t i = 0; i < kDocument.size(); ++i) records[i][i] = c;
    decode_hostile(records);
  }
}

TEST_CASE("documents with bytes taken out, doubled and flipped at random are read or refused") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> records;
    for (int i = 0; i < 200; ++i) {
      std::string r = kDocument;
      for (auto changes = random() % 4 + 1; changes; --changes) {
        const std::size_t at = random() % r.size(), length = random() % 5 + 1;
        switch (random() % 3) {
          case 0: r.erase(at, length); break;
          case 1: r.insert(at, r.substr(at, length)); break;
          default: r[at] = static_cast<char>(random());
        }
        if (r.empty()) r = "x";
      }
      records.push_back(r);
    }
    decode_hostile(records);
  }
}

TEST_CASE("a document of nothing but openings is refused without using the stack") {
  for (const char* opening : {"[", "{\"a\":", "{\"r\":", "{\"j\":["}) {
    std::string r;
    while (r.size() < 200'000) r += opening;
    const test::Decoded d = decode_hostile({r});
    CHECK(d.errors.size() == 1);
  }
}

}  // namespace weir
