#include "connectors/formats/record_splitter.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace weir {

namespace {

/// The records of a file that arrives in pieces of `piece` bytes.
std::vector<std::string> split(RecordFraming framing, const std::string& file, std::size_t piece,
                               std::size_t longest_quoted = 100) {
  RecordSplitter splitter(framing, longest_quoted);
  std::vector<std::string> records;
  std::string bytes;
  for (std::size_t at = 0;;) {
    const bool last = at >= file.size();
    while (auto p = splitter.next(bytes, last)) {
      if (p->record) records.emplace_back(*p->record);
      if (p->open) records.back() += " (open)";
      bytes.erase(0, p->consumed);
    }
    if (last) break;
    bytes += file.substr(at, piece);
    at += piece;
  }
  CHECK(bytes.empty());
  return records;
}

using Records = std::vector<std::string>;

}  // namespace

TEST_CASE("records are found whatever the pieces in which a file arrives") {
  for (std::size_t piece : {1u, 2u, 3u, 7u, 1000u}) {
    INFO(piece);
    CHECK(split(RecordFraming::kLines, "a\n\nb\r\nc", piece) == Records{"a", "", "b\r", "c"});
    CHECK(split(RecordFraming::kLines, "a\n", piece) == Records{"a"});
    CHECK(split(RecordFraming::kNonEmptyLines, "a\n\n\r\nb\r\nc\r", piece) == Records{"a", "b", "c"});
    CHECK(split(RecordFraming::kCsv, "1,\"a\nb\"\r\n\n2,\"c\"\"\n\"\n3", piece) ==
          Records{"1,\"a\nb\"", "2,\"c\"\"\n\"", "3"});
    CHECK(split(RecordFraming::kLines, "", piece).empty());
  }
}

TEST_CASE("a quote opens only at the beginning of a field") {
  for (std::size_t piece : {1u, 2u, 3u, 7u, 1000u}) {
    INFO(piece);
    CHECK(split(RecordFraming::kCsv, "1,5\" pipe\n2,x\n", piece) == Records{"1,5\" pipe", "2,x"});
    CHECK(split(RecordFraming::kCsv, "1, \"a\n2,x\"\n3", piece) == Records{"1, \"a", "2,x\"", "3"});
    CHECK(split(RecordFraming::kCsv, "\"a\"b\"c\n2", piece) == Records{"\"a\"b\"c", "2"});
    CHECK(split(RecordFraming::kCsv, "\"\"\"a\n\"\"\",\"\"\n2", piece) == Records{"\"\"\"a\n\"\"\",\"\"", "2"});
    const RecordFraming semicolons(RecordFraming::kCsv, ';');
    CHECK(split(semicolons, "1;\"a\nb\"\n2,\"x\n3", piece) == Records{"1;\"a\nb\"", "2,\"x", "3"});
  }
}

TEST_CASE("a quote that is not closed costs the line it opens in and no more") {
  for (std::size_t piece : {1u, 2u, 3u, 7u, 1000u}) {
    INFO(piece);
    CHECK(split(RecordFraming::kCsv, "1,\"open\r\n2,x\n3", piece) == Records{"1,\"open (open)", "2,x", "3"});
    CHECK(split(RecordFraming::kCsv, "1,\"open", piece) == Records{"1,\"open (open)"});
    CHECK(split(RecordFraming::kCsv, "\"a\nb\",\"c\nd\ne", piece) == Records{"\"a\nb\",\"c (open)", "d", "e"});
    CHECK(split(RecordFraming::kCsv, "1,\"a\"\"\n2\n\"", piece) == Records{"1,\"a\"\"\n2\n\""});
    CHECK(split(RecordFraming::kCsv, "\"\"\"\n\"\"\"\"\n", piece) == Records{"\"\"\" (open)", "\"\"\"\""});
    const std::string closed = "1,\"12345\n789\"\n2\n", late = "1,\"12345\n78901\"\n2\n";
    CHECK(split(RecordFraming::kCsv, closed, 1, 11) == Records{"1,\"12345\n789\"", "2"});
    CHECK(split(RecordFraming::kCsv, late, 1, 11) == Records{"1,\"12345", "78901\"", "2"});
    CHECK(split(RecordFraming::kCsv, "1,\"123456789012\n2\n3", 1, 5) == Records{"1,\"123456789012", "2", "3"});
  }
}

}  // namespace weir
