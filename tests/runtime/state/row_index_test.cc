#include "runtime/state/row_index.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "runtime/state/key_group.h"

namespace weir {
namespace {

/// Few different hashes, so that rows collide and the table wraps around.
std::uint64_t poor_hash(const std::string& key) { return key.size() * 5 + static_cast<unsigned char>(key[0]) % 7 + 12; }

}  // namespace

TEST_CASE("an index equals a map through random inserts, removals, marks and sweeps") {
  std::mt19937 random(GENERATE(range(0u, 20u)));
  RowIndex index;
  std::map<std::string, std::uint32_t> model;
  std::set<std::string> marked;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    std::string key(1 + random() % 3, static_cast<char>('a' + random() % 26));
    key += std::string(random() % 40 == 0 ? 400 : 0, 'z');
    StateRow* row = index.find(key, poor_hash(key));
    REQUIRE((row != nullptr) == model.contains(key));
    if (row) REQUIRE(row->slot.value == model[key]);
    if (row) REQUIRE(index.find_same(row->key_bytes, row->hash) == row);
    const auto action = random() % 8;
    if (!row && action < 5) {
      index.insert(key, poor_hash(key)).slot = {i};
      model[key] = i;
    } else if (row && action < 3) {
      index.remove(row);
      model.erase(key);
      marked.erase(key);
    } else if (row && action == 3) {
      index.mark(*row);
      marked.insert(key);
    } else if (action == 7 && random() % 20 == 0) {
      std::set<std::string> taken;
      index.take_marked([&](const StateRow& r) { taken.emplace(r.key()); });
      REQUIRE(taken == marked);
      marked.clear();
    } else if (action == 6 && random() % 20 == 0) {
      index.sweep(3, [&](const StateRow& r) {
        if (r.slot.value % 2 == 0) return false;
        model.erase(std::string(r.key()));
        marked.erase(std::string(r.key()));
        return true;
      });
    }
    REQUIRE(index.size() == model.size());
  }
  std::map<std::string, std::uint32_t> all;
  index.for_each([&](const StateRow& r) { all.emplace(r.key(), r.slot.value); });
  CHECK(all == model);
}

TEST_CASE("what is asked for ahead is the row that will be found") {
  RowIndex index;
  const auto hash = [](std::uint64_t i) { return key_hash(std::to_string(i)); };
  index.insert("0", hash(0));
  CHECK_FALSE(index.large());
  CHECK(index.likely(hash(0)) == nullptr);  // small ones are in the cache
  for (std::uint64_t i = 1; i < 50000; ++i) index.insert(std::to_string(i), hash(i));
  std::size_t known = 0;
  for (std::uint64_t i = 0; i < 50000; ++i) {
    index.prefetch(hash(i));
    const StateRow* row = index.likely(hash(i));
    if (!row) continue;
    ++known;
    REQUIRE(row == index.find(std::to_string(i), hash(i)));
  }
  CHECK(known > 40000);
  for (std::uint64_t i = 50000; i < 60000; ++i) REQUIRE(index.likely(hash(i)) == nullptr);
}

TEST_CASE("keys of removed rows are used again") {
  RowIndex index;
  for (int round = 0; round < 1000; ++round) {
    const std::string key = "some key " + std::to_string(round);
    index.insert(key, 1);
    index.remove(index.find(key, 1));
  }
  CHECK(index.bytes() < 2000);
  CHECK(index.size() == 0);
}

TEST_CASE("forgetting a part again and again leaves no place of the index crowded") {
  RowIndex index;
  for (int i = 0; i < 200'000; ++i) {
    const std::string key = std::to_string(i);
    index.insert(key, key_hash(key));
    if (index.size() == 12'000) CHECK(index.sweep(1500, [](const StateRow&) { return true; }) == 1500);
  }
  constexpr std::size_t kPlaces = 16'384, kParts = 64;  // 12 288 rows are the most for so many places
  std::vector<std::size_t> rows(kParts);
  index.for_each([&](const StateRow& r) { ++rows[(r.hash & (kPlaces - 1)) / (kPlaces / kParts)]; });
  const std::size_t average = index.size() / kParts;
  for (const std::size_t part : rows) {
    CHECK(part > average / 2);
    CHECK(part < average * 3 / 2);
  }
}

TEST_CASE("an index that forgets all its rows gives their memory back, and can be used again") {
  RowIndex index;
  for (int i = 0; i < 5000; ++i) index.insert("some key " + std::to_string(i), key_hash(std::to_string(i)));
  index.insert(std::string(1000, 'x'), 7);
  CHECK(index.bytes() > 100'000);
  CHECK(index.sweep(10'000, [](const StateRow&) { return true; }) == 5001);
  CHECK(index.size() == 0);
  CHECK(index.bytes() == 0);
  CHECK(index.find("some key 1", key_hash("1")) == nullptr);
  index.insert("again", 1);
  CHECK(index.find("again", 1) != nullptr);
}

}  // namespace weir
