#include <catch2/catch.hpp>

#include "connectors/file/chunk.h"

namespace weir {
namespace {

std::vector<std::string> records(const Chunk& chunk) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < chunk.records.size(); ++i) all.emplace_back(chunk.record(i));
  return all;
}

using Records = std::vector<std::string>;

TEST_CASE("a chunk holds the whole records and the rest waits for its end") {
  ChunkCutter cutter(RecordFraming::kNonEmptyLines, 100, 5, false);
  cutter.add("one\ntwo\nthr");
  const Chunk first = cutter.cut(false);
  CHECK(records(first) == Records{"one", "two"});
  CHECK(first.begin == 100);
  CHECK(first.end() == 108);
  CHECK(first.line == 5);
  CHECK_FALSE(first.last);
  cutter.add("ee\n");
  const Chunk second = cutter.cut(true);
  CHECK(records(second) == Records{"three"});
  CHECK(second.begin == 108);
  CHECK(second.line == 7);
  CHECK(second.last);
}

TEST_CASE("the last record needs no line feed") {
  ChunkCutter cutter(RecordFraming::kNonEmptyLines, 0, 1, false);
  cutter.add("a\nb");
  CHECK(records(cutter.cut(true)) == Records{"a", "b"});
}

TEST_CASE("empty lines are left out but for raw records") {
  ChunkCutter lines(RecordFraming::kNonEmptyLines, 0, 1, false), raw(RecordFraming::kLines, 0, 1, false);
  lines.add("a\r\n\n\r\nb\n");
  raw.add("a\r\n\nb\n");
  CHECK(records(lines.cut(true)) == Records{"a", "b"});
  CHECK(records(raw.cut(true)) == Records{"a\r", "", "b"});
}

TEST_CASE("a record of csv goes over lines within quotes, also when it comes in pieces") {
  ChunkCutter cutter(RecordFraming::kCsv, 0, 1, true);
  std::string all = "id,text\n1,\"two\nlines\"\n2,x\n";
  Records found;
  std::string header;
  for (std::size_t i = 0; i < all.size(); ++i) {
    cutter.add(all.substr(i, 1));
    Chunk chunk = cutter.cut(i + 1 == all.size());
    if (chunk.header) header = *chunk.header;
    for (std::string& r : records(chunk)) found.push_back(std::move(r));
  }
  CHECK(header == "id,text");
  CHECK(found == Records{"1,\"two\nlines\"", "2,x"});
}

TEST_CASE("a long record that comes in many pieces is not copied for each") {
  const std::string piece(4 << 10, 'x');
  for (const RecordFraming framing : {RecordFraming::kLines, RecordFraming::kNonEmptyLines, RecordFraming::kCsv}) {
    ChunkCutter cutter(framing, 0, 1, false);
    for (int i = 0; i < 8192; ++i) {  // all of it each time would be 128 GiB
      cutter.add(piece);
      const Chunk none = cutter.cut(false);
      REQUIRE(none.bytes.empty());
      REQUIRE(none.records.empty());
      REQUIRE(none.end() == 0);
    }
    cutter.add("\nshort");
    const Chunk chunk = cutter.cut(true);
    REQUIRE(chunk.records.size() == 2);
    CHECK(chunk.record(0).size() == 32 << 20);
    CHECK(chunk.record(1) == "short");
    CHECK(chunk.end() == (32 << 20) + 6);
  }
}

TEST_CASE("each record knows where it ends") {
  ChunkCutter cutter(RecordFraming::kNonEmptyLines, 10, 1, false);
  cutter.add("\nab\r\ncd\n\n");
  const Chunk chunk = cutter.cut(true);
  REQUIRE(chunk.records.size() == 2);
  CHECK(chunk.records[0].begin == 1);
  CHECK(chunk.records[0].next == 5);
  CHECK(chunk.records[1].next == 8);
  CHECK(chunk.end() == 19);
}

TEST_CASE("a byte-order mark is one only at the very beginning") {
  const std::string mark = "\xef\xbb\xbf", file = mark + "one\n" + mark + "two\n";
  for (const std::size_t piece : {1, 2, 100}) {
    ChunkCutter csv(RecordFraming::kCsv, 0, 1, false), raw(RecordFraming::kLines, 0, 1, false),
        later(RecordFraming::kCsv, 3, 1, false);
    Records of_csv, of_raw, of_later;
    for (std::size_t i = 0; i < file.size(); i += piece) {
      for (auto [cutter, found] : {std::pair(&csv, &of_csv), std::pair(&raw, &of_raw), std::pair(&later, &of_later)}) {
        cutter->add(file.substr(i, piece));
        for (std::string& r : records(cutter->cut(i + piece >= file.size()))) found->push_back(std::move(r));
      }
    }
    CHECK(of_csv == Records{"one", mark + "two"});
    CHECK(of_raw == Records{mark + "one", mark + "two"});
    CHECK(of_later == of_raw);
  }
}

}  // namespace
}  // namespace weir
