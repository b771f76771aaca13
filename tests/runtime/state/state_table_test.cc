#include "runtime/state/state_table.h"

#include <catch2/catch.hpp>
#include <set>
#include <thread>

#include "runtime/base/error.h"
#include "runtime/state/window_scan.h"
#include "tests/runtime/state/map_store.h"
#include "tests/support/table_model.h"

namespace weir {
namespace {

/// A table without windows over a store in memory, with a vocabulary for counting.
struct Fixture {
  void add(std::string_view key, std::int64_t n, std::string_view window = "w") {
    values.at(table.touch(window, key).slot) += n;
  }
  /// The number of a key, -1 if there is none.
  std::int64_t number(std::string_view key, std::string_view window = "w") {
    const StateSlot* slot = table.find(window, key);
    return slot ? values.at(*slot) : -1;
  }
  void freeze() { frozen = table.freeze(epoch = epoch.next()); }
  void ingest() {
    EpochDelta delta{epoch, {}};
    delta.tables.emplace_back().push_back(frozen->encode());
    store.ingest(delta);
    table.ingested(epoch);
  }
  /// The numbers that the store holds, as `key=n` in order.
  std::set<std::string> stored() const {
    std::set<std::string> rows;
    for (const auto& [key, value] : store.rows({0})) rows.insert(key.substr(2) + "=" + value);
    return rows;
  }
  MapStore store;
  Numbers values;
  StateTable table{{{0}, 1, {}}, store, values};
  std::shared_ptr<const FrozenRows> frozen;
  Epoch epoch;
};

using Rows = std::set<std::string>;

}  // namespace

TEST_CASE("dirty rows become part of the epoch that is frozen, and clean when it is ingested") {
  Fixture f;
  f.add("a", 1);
  f.add("b", 2);
  CHECK(f.table.dirty() == 2);
  f.freeze();
  CHECK(f.table.dirty() == 0);
  CHECK(f.table.in_flight() == 2);
  CHECK(f.table.evict(10) == 0);
  f.ingest();
  CHECK(f.stored() == Rows{"a=1", "b=2"});
  CHECK(f.table.evict(10) == 2);
  CHECK(f.table.rows() == 0);
  CHECK(f.number("a") == 1);
  CHECK(f.table.store_reads() == 1);
}

TEST_CASE("a row that is changed in flight keeps its frozen value for the delta, and stays dirty") {
  Fixture f;
  f.add("a", 1);
  f.freeze();
  f.add("a", 10);
  CHECK(f.number("a") == 11);
  f.ingest();
  CHECK(f.stored() == Rows{"a=1"});
  CHECK(f.table.dirty() == 1);
  CHECK(f.table.evict(10) == 0);
  CHECK(f.number("a") == 11);
  f.freeze();
  f.ingest();
  CHECK(f.stored() == Rows{"a=11"});
  CHECK(f.table.rows() == 1);
}

TEST_CASE("a row that is deleted in flight is gone at once, and in the store with the next epoch") {
  Fixture f;
  f.add("a", 1);
  f.freeze();
  f.table.erase("w", "a");
  CHECK(f.number("a") == -1);
  f.ingest();
  CHECK(f.stored() == Rows{"a=1"});
  CHECK(f.number("a") == -1);
  f.freeze();
  CHECK(f.number("a") == -1);
  f.ingest();
  CHECK(f.stored() == Rows{});
  CHECK(f.number("a") == -1);
  CHECK(f.table.rows() == 0);
}

TEST_CASE("a row that comes back after its deletion begins anew") {
  Fixture f;
  f.add("a", 1);
  f.freeze();
  f.ingest();
  f.table.erase("w", "a");
  f.freeze();
  f.add("a", 5);
  f.ingest();
  CHECK(f.number("a") == 5);
  CHECK(f.stored() == Rows{});
  f.freeze();
  f.ingest();
  CHECK(f.stored() == Rows{"a=5"});
}

TEST_CASE("a row that the store never saw leaves nothing when it is deleted") {
  Fixture f;
  f.add("a", 1);
  f.table.erase("w", "a");
  f.freeze();
  CHECK(f.frozen->empty());
  f.ingest();
}

TEST_CASE("a window that fires while its rows are in flight does not come back") {
  Fixture f;
  f.add("a", 1);
  f.freeze();
  f.add("a", 1);
  f.table.drop("w");
  CHECK(f.number("a") == -1);
  f.ingest();
  CHECK(f.stored() == Rows{"a=1"});
  CHECK(f.number("a") == -1);
  CHECK(!f.table.first_window());
  CHECK(f.table.rows() == 0);
  f.freeze();
  f.ingest();
  CHECK(f.stored() == Rows{});
}

TEST_CASE("a window that was dropped and filled again holds only the new rows") {
  Fixture f;
  f.add("a", 1);
  f.add("b", 1);
  f.freeze();
  f.ingest();
  f.table.evict(10);
  f.table.drop("w");
  CHECK(f.number("a") == -1);
  f.add("b", 7);
  f.freeze();
  CHECK(f.number("a") == -1);
  f.ingest();
  CHECK(f.stored() == Rows{"b=7"});
  CHECK(f.number("a") == -1);
}

TEST_CASE("the store is not asked about windows that it never saw") {
  Fixture f;
  for (int i = 0; i < 100; ++i) f.add(std::to_string(i), 1);
  CHECK(f.number("x") == -1);
  CHECK(f.table.store_reads() == 0);
}

TEST_CASE("the store is not asked about a window of which no row was forgotten") {
  Fixture f;
  for (int i = 0; i < 100; ++i) f.add(std::to_string(i), 1);
  f.freeze();
  f.ingest();
  CHECK(f.number("x") == -1);
  f.add("new", 1);
  CHECK(f.table.store_reads() == 0);
  CHECK(f.table.evict(1) == 1);
  CHECK(f.number("x") == -1);
  CHECK(f.table.store_reads() == 1);
}

TEST_CASE("rows are forgotten and frozen without a look at the windows that have none") {
  Fixture f;
  constexpr int kWindows = 200'000;
  const auto window = [](int i) {
    return std::string(1, static_cast<char>(i % 256)) + static_cast<char>(i / 256 % 256) + static_cast<char>(i / 65536);
  };
  StateTable table{{{0}, 3, {}}, f.store, f.values};
  for (int i = 0; i < kWindows; ++i) table.touch(window(i), "a");
  const auto commit = [&] {
    EpochDelta delta{f.epoch = f.epoch.next(), {}};
    delta.tables.emplace_back().push_back(table.freeze(f.epoch)->encode());
    f.store.ingest(delta);
    table.ingested(f.epoch);
  };
  commit();
  CHECK(table.evict(kWindows / 2) == kWindows / 2);
  CHECK(table.evict(kWindows) == kWindows / 2);
  CHECK(table.rows() == 0);
  // Each round looking at all windows took 10 ms and more.
  const auto begun = std::chrono::steady_clock::now();
  for (int round = 0; round < 1000; ++round) {
    table.touch(window(round * 199), "a");
    CHECK(table.evict(10) <= 10);
    commit();
  }
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(3));
  CHECK(table.evict(kWindows) >= 1);
  CHECK(table.evict(kWindows) == 0);
  int windows = 0;
  for (auto w = table.first_window(); w; w = table.next_window(*w)) ++windows;
  CHECK(windows == kWindows);
}

TEST_CASE("a window whose rows were all forgotten costs nothing, and is found again") {
  Fixture f;
  StateTable table{{{0}, 3, {}}, f.store, f.values};
  const auto window = [](int i) { return std::string{'w', static_cast<char>(i / 100), static_cast<char>(i % 100)}; };
  constexpr int kWindows = 5000;
  for (int i = 0; i < kWindows; ++i) f.values.at(table.touch(window(i), "a").slot) = i;
  const std::uint64_t full = table.memory(8).bytes();
  const auto commit = [&] {
    EpochDelta delta{f.epoch = f.epoch.next(), {}};
    delta.tables.emplace_back().push_back(table.freeze(f.epoch)->encode());
    f.store.ingest(delta);
    table.ingested(f.epoch);
  };
  commit();
  CHECK(table.memory(8).row_bytes > 300);  // a row pays for its window
  CHECK(table.evict(kWindows) == kWindows);
  CHECK(table.memory(8).bytes() < full / 50);
  CHECK(table.first_window() == window(0));
  CHECK(table.next_window(window(41)) == window(42));
  const StateSlot* const there = table.find(window(77), "a");
  REQUIRE(there);
  CHECK(f.values.at(*there) == 77);
  CHECK(!table.find(window(78), "b"));
  CHECK(!table.touch(window(79), "a").created);
  CHECK(table.touch(window(80), "b").created);
  table.erase(window(81), "a");
  CHECK(!table.find(window(81), "a"));
  table.drop(window(0));
  CHECK(table.first_window() == window(1));
  CHECK(!table.find(window(0), "a"));
  CHECK(table.touch(window(0), "a").created);  // begins anew
  commit();
  CHECK(f.store.rows({0}).size() == kWindows);  // 80/b came, 81/a went
}

TEST_CASE("windows that are dropped in order are one range in the delta") {
  MapStore store;
  Numbers values;
  const bool alone = GENERATE(true, false);  // or with other tasks, whose rows are between
  StateTable table{{{0}, 1, alone ? KeyGroups() : KeyGroups::of_task(0, 2)}, store, values};
  std::string key = "k";
  while (key_group(key_hash(key)) >= 64) key += "k";
  for (char w = 'a'; w < 'z'; ++w) table.touch(std::string(1, w), key);
  EpochDelta delta{{1}, {}};
  delta.tables.emplace_back().push_back(table.freeze({1})->encode());
  store.ingest(delta);
  table.ingested({1});
  if (GENERATE(true, false)) table.evict(100);
  table.drop("x");
  for (char w = 'a'; w < 'k'; ++w) {
    REQUIRE(table.first_window() == std::string(1, w));
    table.drop(std::string(1, w));
  }
  const TableDelta dropped = table.freeze({2})->encode();
  CHECK(dropped.ranges().size() == (alone ? 2 : 11));
  if (alone) CHECK(dropped.ranges()[0].begin == std::string("a\0", 2));
  if (alone) CHECK(dropped.ranges()[0].end == "j\x80");
}

TEST_CASE("one epoch is in flight at a time") {
  Fixture f;
  f.add("a", 1);
  f.freeze();
  CHECK_THROWS_AS(f.table.freeze({2}), Error);
  CHECK_THROWS_AS(f.table.ingested({2}), Error);
  f.ingest();
  CHECK_THROWS_AS(f.table.ingested({1}), Error);
}

TEST_CASE("a table with windows equals a map through random calls") {
  const unsigned seed = GENERATE(range(0u, 30u));
  MapStore store;
  TableAndModel both(store, 2, {}, seed);
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < 400; ++i) both.step();
    both.restart();
  }
}

TEST_CASE("a table without windows equals a map through random calls") {
  const unsigned seed = GENERATE(range(100u, 115u));
  MapStore store;
  TableAndModel both(store, 0, {}, seed);
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < 400; ++i) both.step();
    both.restart();
  }
}

TEST_CASE("tasks with their own key groups share a store and do not meet") {
  const unsigned seed = GENERATE(range(200u, 206u));
  MapStore store;
  TableAndModel first(store, 1, KeyGroups::of_task(0, 3), seed), second(store, 1, KeyGroups::of_task(1, 3), seed),
      third(store, 1, KeyGroups::of_task(2, 3), seed);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 600; ++i) {
      first.step();
      second.step();
      third.step();
    }
    first.restart();
    second.restart();
    third.restart();
  }
}

TEST_CASE("the key group of a row may come from a part of its key") {
  Fixture f;
  const auto hash = [](std::string_view key) { return hash_in_group(key_hash(key), key_group(key_hash(key.substr(0, 1)))); };
  const std::vector<std::string> keys = {"a1", "a2", "a3", "b1", "b2"};
  for (const std::string& key : keys) f.values.at(f.table.touch("w", key, hash(key)).slot) = key[1];
  f.freeze();
  f.ingest();
  std::set<std::string> stored;
  for (const auto& [key, value] : f.store.rows({0})) stored.insert(key);
  std::set<std::string> expected;
  for (const std::string& key : keys)
    expected.insert(std::string("w") + static_cast<char>(key_group(key_hash(key.substr(0, 1)))) + key);
  CHECK(stored == expected);
  REQUIRE(f.table.evict(10) == 5);
  f.values.at(f.table.touch("w", "a2", hash("a2")).slot) = 100;
  f.table.erase("w", "b1", hash("b1"));
  std::set<std::string> visited, scanned;
  f.table.for_each("w", [&](std::string_view key, StateSlot slot) {
    visited.insert(std::string(key) + "=" + std::to_string(f.values.at(slot)));
  });
  for (WindowScan scan(f.table, "w"); scan.valid(); scan.next())
    scanned.insert(std::string(scan.key()) + "=" + std::to_string(f.values.at(scan.slot())));
  CHECK(visited == Rows{"a1=49", "a2=100", "a3=51", "b2=50"});
  CHECK(scanned == visited);
}

TEST_CASE("a frozen epoch is encoded on another thread while the table goes on") {
  Fixture f;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 500; ++i) f.add(std::to_string(i), 1);
    f.freeze();
    std::vector<TableDelta> deltas(1);
    std::thread encoder([&, frozen = f.frozen] { deltas[0] = frozen->encode(); });
    for (int i = 0; i < 1000; ++i) f.add(std::to_string(i), 1);
    for (int i = 300; i < 400; ++i) f.table.erase("w", std::to_string(i));
    if (round % 5 == 4) f.table.drop("w");
    encoder.join();
    EpochDelta delta{f.epoch, {}};
    delta.tables.push_back(std::move(deltas));
    f.store.ingest(delta);
    f.table.ingested(f.epoch);
  }
  CHECK(f.table.rows() == 0);
}

TEST_CASE("a key that is looked for and then made costs one read") {
  Fixture f;
  f.add("old", 1);
  f.freeze();
  f.ingest();
  REQUIRE(f.table.evict(10) == 1);
  const std::uint64_t before = f.table.store_reads();
  CHECK(f.number("new") == -1);
  f.add("new", 5);
  CHECK(f.table.store_reads() == before + 1);
  f.freeze();
  f.ingest();
  REQUIRE(f.table.evict(10) == 1);
  CHECK(f.number("new") == 5);  // it is there now
  f.table.erase("w", "new");
  CHECK(f.number("new") == -1);
  f.freeze();
  f.ingest();
  f.add("new", 1);
  CHECK(f.number("new") == 1);
}

TEST_CASE("a slot that is given back holds nothing any more") {
  Fixture f;
  const StateSlot evicted = f.table.touch("w", "evicted").slot;
  f.values.at(evicted) = 1;
  f.freeze();
  const StateSlot changed = f.table.touch("w", "evicted").slot;
  CHECK(f.values.at(changed) == 1);
  f.values.at(changed) = 2;
  CHECK(f.values.at(evicted) == 1);  // frozen
  f.ingest();
  CHECK(f.values.at(evicted) == 0);
  f.freeze();
  f.ingest();
  CHECK(f.table.evict(10) == 1);
  CHECK(f.values.at(changed) == 0);
  for (const bool whole : {false, true}) {
    const StateSlot gone = f.table.touch("w", "gone").slot;
    f.values.at(gone) = 3;
    whole ? f.table.drop("w") : f.table.erase("w", "gone");
    CHECK(f.values.at(gone) == 0);
  }
}

TEST_CASE("looking ahead tells slots of rows that come, and changes nothing") {
  Fixture f;
  std::vector<std::uint64_t> hashes;
  std::map<std::uint32_t, std::size_t> row_of;
  CHECK(!f.table.look_ahead("w", std::vector<std::uint64_t>(100), 0));
  for (std::size_t i = 0; i < 50000; ++i) {
    hashes.push_back(key_hash(std::to_string(i)));
    row_of[f.table.touch("w", std::to_string(i)).slot.value] = i;
  }
  std::size_t known = 0;
  for (std::size_t next = 0; next < hashes.size(); ++next) {
    const auto soon = f.table.look_ahead("w", hashes, next);
    if (!soon) continue;
    ++known;
    REQUIRE(row_of.at(soon->value) > next);
  }
  CHECK(known > 40000);
  CHECK(f.table.rows() == 50000);
  CHECK(f.table.store_reads() == 0);
}

TEST_CASE("key groups are dealt out to tasks without gaps") {
  for (int tasks = 1; tasks <= kKeyGroups; ++tasks) {
    int next = 0;
    for (int task = 0; task < tasks; ++task) {
      const KeyGroups groups = KeyGroups::of_task(task, tasks);
      CHECK(groups.first == next);
      CHECK(groups.last >= groups.first);
      next = groups.last + 1;
    }
    CHECK(next == kKeyGroups);
  }
  // Part of the checkpoint format: never change it.
  CHECK(key_hash("abc") == 0x78af5f94892f3950u);
  CHECK(key_group(key_hash("abc")) == 0x3c);
}

}  // namespace weir
