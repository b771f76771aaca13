#include "runtime/state/row_sets.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "tests/runtime/state/map_store.h"
#include "tests/support/table_model.h"

namespace weir {
namespace {

/// Row sets without windows over a store in memory. A key is one letter, a suffix what follows.
struct Fixture {
  static std::string key(char letter) { return std::string{'\1', letter, '\0', '\1'}; }
  void add(char set, const std::string& suffix, std::int64_t n) { values.at(sets.touch("", key(set) + suffix).slot) += n; }
  void commit() {
    EpochDelta delta{epoch = epoch.next(), {}};
    delta.tables.emplace_back().push_back(sets.freeze(epoch)->encode());
    changed = delta.tables[0][0].size();
    store.ingest(delta);
    sets.ingested(epoch);
  }
  std::string scan(char set, const std::string& from = "") {
    std::string text;
    for (RowSetScan scan(sets, "", key(set), from); scan.valid(); scan.next())
      text += fmt::format("{}={} ", scan.suffix(), values.at(scan.slot()));
    return text;
  }
  MapStore store;
  Numbers values;
  RowSets sets{{.table = {0}, .set_key = {Type::varchar()}}, store, values};
  Epoch epoch;
  std::size_t changed = 0;
};

/// Few different hashes, so that sets meet and the index wraps around.
std::uint64_t poor_hash(const std::string& key) { return static_cast<unsigned char>(key[0]) % 7 + 12; }

}  // namespace

TEST_CASE("an index of sets equals a map through random inserts, removals, marks and sweeps") {
  std::mt19937 random(GENERATE(range(0u, 20u)));
  SetIndex index;
  std::map<std::string, std::uint32_t> model;
  std::set<std::string> marked;
  const int letters = random() % 2 ? 26 : 1;
  for (std::uint32_t i = 0; i < 6000; ++i) {
    std::string key(1, static_cast<char>('a' + static_cast<int>(random() % 26) % letters));
    key += std::to_string(random() % 400) + std::string(random() % 40 == 0 ? 400 : 0, 'z');
    StateRow* row = index.find(key, poor_hash(key));
    REQUIRE((row != nullptr) == model.contains(key));
    if (row) REQUIRE(row->slot.value == model[key]);
    if (row) REQUIRE(index.find_same(row->key(), row->hash) == row);
    const auto action = random() % 8;
    if (!row && action < 5) {
      index.insert(key, poor_hash(key)).slot = {i};
      model[key] = i;
    } else if (row && action < 3) {
      index.remove(row);
      model.erase(key);
      marked.erase(key);
    } else if (row && action == 3) {
      row->state = RowState::kDirty;
      index.mark(*row);
      marked.insert(key);
    } else if (action == 7 && random() % 20 == 0) {
      std::set<std::string> taken;
      index.take_marked([&](StateRow& r) {
        taken.emplace(r.key());
        r.state = RowState::kClean;
      });
      REQUIRE(taken == marked);
      marked.clear();
    } else if (action == 6 && random() % 20 == 0) {
      const std::size_t most = 1 + random() % 300;
      const std::size_t before = model.size();
      const std::size_t removed = index.sweep(most, [&](const StateRow& r) {
        if (r.slot.value % 2 == 0) return false;
        model.erase(std::string(r.key()));
        marked.erase(std::string(r.key()));
        return true;
      });
      REQUIRE(removed <= most);
      REQUIRE(removed == before - model.size());
    }
    REQUIRE(index.size() == model.size());
  }
  std::map<std::string, std::uint32_t> all;
  index.for_each([&](const StateRow& r) { all.emplace(r.key(), r.slot.value); });
  CHECK(all == model);
  std::size_t walked = 0;
  for (int letter = 0; letter < letters; ++letter) {
    const std::string first(1, static_cast<char>('a' + letter));
    auto expected = model.lower_bound(first);
    for (auto at = index.lower_bound(first, poor_hash(first)); index.at(at) && index.at(at)->key().starts_with(first);
         index.next(at), ++walked)
      REQUIRE((expected++)->first == index.at(at)->key());
  }
  CHECK(walked == model.size());
  index.sweep(model.size(), [](const StateRow&) { return true; });
  CHECK(index.size() == 0);
  CHECK(index.bytes() == 0);
}

TEST_CASE("rows of a key come in the order of their suffixes, from memory and store") {
  Fixture f;
  for (const char* suffix : {"30", "10", "20"}) f.add('a', suffix, 1);
  f.add('b', "15", 1);
  CHECK(f.scan('a') == "10=1 20=1 30=1 ");
  f.commit();
  REQUIRE(f.sets.evict(10) == 4);
  f.add('a', "25", 2);
  f.add('a', "20", 2);
  f.sets.erase("", Fixture::key('a') + "30");
  CHECK(f.scan('a') == "10=1 20=3 25=2 ");
  CHECK(f.scan('a', "2") == "20=3 25=2 ");
  CHECK(f.scan('b') == "15=1 ");
  CHECK(f.scan('c').empty());
  f.commit();
  CHECK(f.scan('a') == "10=1 20=3 25=2 ");
}

TEST_CASE("a change of a large set is one row of the delta") {
  Fixture f;
  for (int i = 0; i < 5000; ++i) f.add('a', fmt::format("{:05}", i * 7919 % 5000), 1);
  f.commit();
  CHECK(f.changed == 5000);
  f.add('a', "02500", 1);
  f.sets.erase("", Fixture::key('a') + "02501");
  f.commit();
  CHECK(f.changed == 2);
  CHECK(f.scan('a', "02499").starts_with("02499=1 02500=2 02502=1 "));
}

TEST_CASE("a set that is loaded is read once, until rows of it are forgotten") {
  Fixture f;
  for (int i = 0; i < 300; ++i) f.add('a', fmt::format("{:03}", i), 1);
  f.commit();
  REQUIRE(f.sets.evict(1000) == 300);
  const auto reads = [&] { return f.sets.store_reads(); };
  const std::uint64_t before = reads();
  f.add('a', "100", 5);  // a row by itself
  CHECK(reads() == before + 1);
  f.sets.load_set("", Fixture::key('a'));
  CHECK(reads() == before + 2);
  CHECK(f.sets.rows() == 300);
  f.sets.load_set("", Fixture::key('a'));
  CHECK(!f.sets.find("", Fixture::key('a') + "not there"));
  CHECK(f.scan('a', "099").starts_with("099=1 100=6 101=1 "));
  CHECK(reads() == before + 2);
  f.sets.load_set("", Fixture::key('x'));  // other sets are read for themselves
  CHECK(reads() == before + 3);
  CHECK(f.sets.evict(1) == 1);
  f.scan('a');
  CHECK(reads() == before + 4);
}

TEST_CASE("row sets equal a map through random calls") {
  const unsigned seed = GENERATE(range(0u, 30u));
  const std::size_t window = seed % 3;
  MapStore store;
  SetsAndModel both(store, window, {}, seed);
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < 600; ++i) both.step();
    both.restart();
  }
}

TEST_CASE("tasks with row sets of their own key groups share a store and do not meet") {
  const unsigned seed = GENERATE(range(200u, 206u));
  MapStore store;
  SetsAndModel first(store, 1, KeyGroups::of_task(0, 2), seed), second(store, 1, KeyGroups::of_task(1, 2), seed);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 600; ++i) {
      first.step();
      second.step();
    }
    first.restart();
    second.restart();
  }
}

TEST_CASE("row sets say what they cost, about") {
  Fixture f;
  const bool one = GENERATE(true, false);
  for (int i = 0; i < 20000; ++i)
    f.sets.touch("", Fixture::key(static_cast<char>('a' + (one ? 0 : i % 26))) + fmt::format("{:08}", i));
  const StateMemory memory = f.sets.memory(8);
  CHECK(memory.rows == 20000);
  CHECK(memory.bytes() > 20000 * (24 + 16 + 8));
  CHECK(memory.bytes() < 20000 * 120);
  f.commit();
  while (f.sets.evict(1000) > 0) {
  }
  CHECK(f.sets.memory(8).bytes() < 10000);
}

}  // namespace weir
