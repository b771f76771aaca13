#include "runtime/state/table_delta.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "runtime/base/error.h"
#include "runtime/state/file_checksum.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;

/// `a=1 b- c=3`
std::string merged(const std::vector<TableDelta>& deltas) {
  std::string text;
  DeltaMerge merge(deltas);
  while (const TableDelta::Entry* e = merge.next())
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", e->key, e->value ? fmt::format("={}", *e->value) : "-");
  return text;
}

TableDelta delta_of(std::initializer_list<std::pair<std::string, std::optional<std::string>>> entries) {
  TableDelta delta;
  for (const auto& [key, value] : entries) value ? delta.put(key, *value) : delta.erase(key);
  delta.sort();
  return delta;
}

}  // namespace

TEST_CASE("a delta is sorted by the bytes of its keys") {
  std::vector<TableDelta> one;
  one.push_back(delta_of({{"b", "2"}, {"\xff", "5"}, {"a", "1"}, {"", "0"}, {"c", std::nullopt}}));
  CHECK(merged(one) == "=0 a=1 b=2 c- \xff=5");
}

TEST_CASE("keys of any kind are sorted, however much of them is alike") {
  std::mt19937 random(GENERATE(range(0u, 20u)));
  const std::string prefix(random() % 12, 'p');
  std::set<std::string> keys;
  for (unsigned n = random() % 400; n > 0; --n) {
    std::string key =
        prefix + std::string(random() % 3, static_cast<char>(random() % 3 - 1)) + std::string(random() % 14, 'x');
    if (random() % 2) key += std::to_string(random() % 100);
    keys.insert(std::move(key));
  }
  std::vector<std::string> mixed(keys.begin(), keys.end());
  std::shuffle(mixed.begin(), mixed.end(), random);
  TableDelta delta;
  for (const std::string& key : mixed) delta.put(key, key);
  delta.sort();
  std::vector<std::string> sorted;
  for (std::size_t i = 0; i < delta.size(); ++i) {
    sorted.emplace_back(delta.at(i).key);
    CHECK(delta.at(i).value == delta.at(i).key);
  }
  CHECK(sorted == std::vector<std::string>(keys.begin(), keys.end()));
}

TEST_CASE("null and empty values differ in a delta") {
  std::vector<TableDelta> one;
  one.push_back(delta_of({{"a", ""}, {"b", std::nullopt}}));
  CHECK(merged(one) == "a= b-");
}

TEST_CASE("deltas of several tasks are merged to one ascending sequence") {
  std::vector<TableDelta> deltas;
  deltas.push_back(delta_of({{"a", "1"}, {"d", "4"}}));
  deltas.emplace_back();
  deltas.push_back(delta_of({{"b", std::nullopt}, {"e", "5"}}));
  deltas.push_back(delta_of({{"c", "3"}}));
  CHECK(merged(deltas) == "a=1 b- c=3 d=4 e=5");
  CHECK(merged({}).empty());
}

TEST_CASE("a key that comes twice is a bug that is named") {
  TableDelta delta;
  delta.put("b", "1");
  delta.put("a\x01", "2");
  delta.erase("a\x01");
  CHECK_THROWS_WITH(delta.sort(), Contains("twice") && Contains("a\\x01"));
  std::vector<TableDelta> deltas;
  deltas.push_back(delta_of({{"k", "1"}}));
  deltas.push_back(delta_of({{"k", "2"}}));
  CHECK_THROWS_WITH(merged(deltas), Contains("twice"));
  TableDelta unsorted;
  unsorted.put("b", "");
  unsorted.put("a", "");
  std::vector<TableDelta> wrong;
  wrong.push_back(std::move(unsorted));
  CHECK_THROWS_AS(merged(wrong), Error);
}

TEST_CASE("ranges that are empty are left out") {
  TableDelta delta;
  delta.erase_range("b", "a");
  delta.erase_range("b", "b");
  CHECK(delta.empty());
  delta.erase_range("a", "b");
  CHECK(delta.ranges() == std::vector<TableDelta::Range>{{"a", "b"}});
}

TEST_CASE("a delta keeps large values, and pointers into it hold while it grows and moves") {
  TableDelta delta;
  const std::string large(200'000, 'x');
  for (int i = 0; i < 1000; ++i) delta.put(fmt::format("{:04}", i), i % 100 == 0 ? large : "v");
  CHECK(delta.bytes() > 10 * large.size());
  const std::string_view first = delta.at(0).key;
  const TableDelta moved = std::move(delta);
  CHECK(moved.at(0).key.data() == first.data());
  CHECK(moved.at(900).value == large);
}

TEST_CASE("a file's checksum is that of its bytes, in pieces or at once") {
  const TemporaryFolder dir;
  FileChecksum pieces;
  pieces.add("ab");
  pieces.add("");
  pieces.add("c");
  CHECK(pieces.text() == FileChecksum::of("abc"));
  CHECK(FileChecksum::of_file(dir.write("f", "abc")) == FileChecksum::of("abc"));
  CHECK(FileChecksum::of("") == "99aa06d3014798d86001c324468d497f");  // the value that xxHash's documentation gives
  CHECK_THROWS_WITH(FileChecksum::of_file(dir / "none"), Contains((dir / "none").string()));
}

}  // namespace weir
