#include "runtime/state/row_index.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

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

}  // namespace weir
