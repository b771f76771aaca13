#include "state/rocksdb/rocksdb_store.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "runtime/base/error.h"
#include "runtime/state/file_checksum.h"
#include "state/rocksdb/background_errors.h"
#include "state/rocksdb/rocksdb_stores.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

constexpr StateTableId kFirst{0}, kSecond{1};

StateStoreOptions two_tables() {
  StateStoreOptions options;
  options.tables = {"per_minute/windows", "dedup/seen"};
  return options;
}

/// One task's changes to the first two tables, written down in the order in which they are called.
class Changes {
 public:
  Changes& put(StateTableId table, std::string_view key, std::string_view value) {
    deltas_[table.value].put(key, value);
    return *this;
  }
  Changes& erase(StateTableId table, std::string_view key) {
    deltas_[table.value].erase(key);
    return *this;
  }
  Changes& erase_range(StateTableId table, std::string_view a, std::string_view b) {
    deltas_[table.value].erase_range(a, b);
    return *this;
  }
  EpochDelta of_epoch(std::uint64_t epoch) {
    EpochDelta delta{{epoch}, {}};
    for (TableDelta& d : deltas_) {
      d.sort();
      delta.tables.emplace_back();
      if (!d.empty()) delta.tables.back().push_back(std::move(d));
      d = {};
    }
    return delta;
  }

 private:
  TableDelta deltas_[2];
};

std::map<std::string, std::string> all(const StateReader& reader, StateTableId table, std::string_view begin = {},
                                       std::string_view end = {}) {
  std::map<std::string, std::string> rows;
  for (auto cursor = reader.scan(table, begin, end); cursor->valid(); cursor->next())
    rows.emplace(cursor->key(), cursor->value());
  return rows;
}

using Rows = std::map<std::string, std::string>;

/// Names, sizes and times of all files below a folder: to see that nothing was touched.
std::set<std::string> fingerprint(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& f : fs::recursive_directory_iterator(folder))
    files.insert(fmt::format("{} {} {}", f.path().string(), f.is_regular_file() ? f.file_size() : 0,
                             f.is_regular_file() ? fs::last_write_time(f).time_since_epoch().count() : 0));
  return files;
}

BackgroundErrors& live_errors(rocksdb::DB& db) {
  return dynamic_cast<BackgroundErrors&>(*db.GetDBOptions().listeners.at(0));
}

struct Fixture {
  TemporaryFolder dir;
  std::unique_ptr<StateStores> stores = make_rocksdb_stores();
  std::unique_ptr<StateStore> store = stores->create(dir / "work-1", two_tables());
};

}  // namespace

TEST_CASE("what was ingested is read back, table by table") {
  Fixture f;
  f.store->ingest(Changes().put(kFirst, "a", "1").put(kFirst, "c", "3").put(kSecond, "a", "x").of_epoch(1));
  std::string value = "old";
  CHECK(f.store->get(kFirst, "a", value));
  CHECK(value == "1");
  CHECK(!f.store->get(kFirst, "b", value));
  CHECK(all(*f.store, kFirst) == Rows{{"a", "1"}, {"c", "3"}});
  CHECK(all(*f.store, kSecond) == Rows{{"a", "x"}});
  CHECK(all(*f.store, kFirst, "b") == Rows{{"c", "3"}});
  CHECK(all(*f.store, kFirst, "a", "c") == Rows{{"a", "1"}});
}

TEST_CASE("later epochs overwrite, delete keys and delete ranges") {
  Fixture f;
  f.store->ingest(
      Changes().put(kFirst, "a", "1").put(kFirst, "b", "1").put(kFirst, "c", "1").put(kFirst, "d", "1").of_epoch(1));
  f.store->ingest(Changes().put(kFirst, "a", "2").erase(kFirst, "b").erase_range(kFirst, "c", "e").of_epoch(2));
  CHECK(all(*f.store, kFirst) == Rows{{"a", "2"}});
  f.store->ingest(Changes().put(kFirst, "c", "3").of_epoch(3));
  CHECK(all(*f.store, kFirst) == Rows{{"a", "2"}, {"c", "3"}});
}

TEST_CASE("a range is deleted before what the same epoch puts into it") {
  Fixture f;
  f.store->ingest(Changes().put(kFirst, "a", "1").put(kFirst, "b", "1").of_epoch(1));
  f.store->ingest(Changes().put(kFirst, "b", "2").erase_range(kFirst, "a", "z").of_epoch(2));
  CHECK(all(*f.store, kFirst) == Rows{{"b", "2"}});
}

TEST_CASE("an epoch of range deletes alone, and one without changes") {
  Fixture f;
  f.store->ingest(Changes().put(kFirst, "a", "1").of_epoch(1));
  f.store->ingest(Changes().erase_range(kFirst, "a", "b").of_epoch(2));
  f.store->ingest(Changes().of_epoch(3));
  f.store->ingest({{4}, {}});
  CHECK(all(*f.store, kFirst).empty());
}

TEST_CASE("deltas of several tasks become one file") {
  Fixture f;
  auto& store = dynamic_cast<RocksDbStore&>(*f.store);
  EpochDelta delta{{1}, {}};
  delta.tables.resize(2);
  for (int task = 0; task < 8; ++task) {
    TableDelta d;
    for (int i = 0; i < 10; ++i) d.put(fmt::format("{:02}-{}", i, task), "v");
    delta.tables[0].push_back(std::move(d));
  }
  store.ingest(delta);
  CHECK(all(store, kFirst).size() == 80);
  std::size_t files = 0;
  for (const auto& item : fs::directory_iterator(f.dir / "work-1")) files += item.path().extension() == ".sst";
  CHECK(files == 1);
  CHECK(fs::is_empty(f.dir / "work-1/deltas"));
}

TEST_CASE("a delta that is split keeps its ranges before its puts") {
  const TemporaryFolder dir;
  StateStoreOptions options = two_tables();
  options.largest_file = 1;
  const auto store = make_rocksdb_stores()->create(dir / "work-1", options);
  Changes first, second;
  const std::string value(10'000, 'x');
  for (int i = 0; i < 20; ++i) first.put(kFirst, fmt::format("{:02}", i), value);
  store->ingest(first.of_epoch(1));
  CHECK(all(*store, kFirst).size() == 20);
  second.erase_range(kFirst, "00", "99");
  for (int i = 5; i < 15; ++i) second.put(kFirst, fmt::format("{:02}", i), std::to_string(i) + value);
  store->ingest(second.of_epoch(2));
  const Rows rows = all(*store, kFirst);
  REQUIRE(rows.size() == 10);
  CHECK(rows.begin()->first == "05");
  CHECK(rows.begin()->second == "5" + value);
}

TEST_CASE("few rows are counted, many are estimated") {
  Fixture f;
  Changes changes;
  for (int i = 0; i < 5000; ++i) changes.put(kFirst, fmt::format("{:05}", i), "1");
  f.store->ingest(changes.put(kSecond, "a", "1").put(kSecond, "b", "1").of_epoch(1));
  CHECK(f.store->size(kFirst).rows == 5000);
  CHECK(f.store->size(kSecond).rows == 2);
  f.store->ingest(Changes().erase_range(kFirst, "00005", "1").put(kSecond, "a", "2").erase(kSecond, "b").of_epoch(2));
  CHECK(f.store->size(kFirst).rows == 5);
  CHECK(f.store->size(kSecond).rows == 1);
}

TEST_CASE("epochs must rise") {
  Fixture f;
  f.store->ingest(Changes().put(kFirst, "a", "1").of_epoch(2));
  CHECK_THROWS_AS(f.store->ingest(Changes().of_epoch(2)), Error);
}

TEST_CASE("a cursor sees the table as it was when it was made") {
  Fixture f;
  f.store->ingest(Changes().put(kFirst, "a", "1").put(kFirst, "b", "1").of_epoch(1));
  const auto cursor = f.store->scan(kFirst);
  f.store->ingest(Changes().put(kFirst, "b", "2").of_epoch(2));
  cursor->next();
  CHECK(cursor->value() == "1");
}

TEST_CASE("a checkpoint holds its epoch, with the checksums of its files") {
  Fixture f;
  f.store->ingest(Changes().put(kFirst, "a", "1").put(kSecond, "b", "1").of_epoch(1));
  const auto files = f.store->checkpoint(f.dir / "chk/state");
  f.store->ingest(Changes().put(kFirst, "a", "2").erase(kSecond, "b").of_epoch(2));
  CHECK(files.size() ==
        static_cast<std::size_t>(std::distance(fs::directory_iterator(f.dir / "chk/state"), fs::directory_iterator())));
  for (const StateFile& file : files) {
    CHECK(fs::file_size(f.dir / "chk/state" / file.name) == file.size);
    CHECK(FileChecksum::of_file(f.dir / "chk/state" / file.name) == file.checksum);
    if (file.name.ends_with(".sst")) CHECK(fs::hard_link_count(f.dir / "chk/state" / file.name) == 2);
  }
  const auto reader = f.stores->read(f.dir / "chk/state");
  CHECK(reader->tables() == two_tables().tables);
  CHECK(all(*reader, kFirst) == Rows{{"a", "1"}});
  CHECK(all(*reader, kSecond) == Rows{{"b", "1"}});
}

TEST_CASE("an empty store can be checkpointed and restored") {
  Fixture f;
  f.store->checkpoint(f.dir / "chk/state");
  const auto restored = f.stores->restore(f.dir / "work-2", f.dir / "chk/state", two_tables());
  CHECK(all(*restored, kFirst).empty());
}

TEST_CASE("reading and restoring leave a checkpoint untouched") {
  Fixture f;
  f.store->ingest(Changes().put(kFirst, "a", "1").of_epoch(1));
  f.store->checkpoint(f.dir / "chk/state");
  f.store.reset();
  const auto before = fingerprint(f.dir / "chk");
  {
    const auto reader = f.stores->read(f.dir / "chk/state");
    CHECK(all(*reader, kFirst).size() == 1);
    const auto restored = f.stores->restore(f.dir / "work-2", f.dir / "chk/state", two_tables());
    for (std::uint64_t epoch = 2; epoch < 40; ++epoch)
      restored->ingest(Changes().put(kFirst, "a", std::to_string(epoch)).of_epoch(epoch));
    CHECK(all(*restored, kFirst) == Rows{{"a", "39"}});
  }
  CHECK(fingerprint(f.dir / "chk") == before);
}

TEST_CASE("a table that is new is empty, one that is gone is refused unless its step is dropped") {
  Fixture f;
  f.store->ingest(Changes().put(kFirst, "a", "1").put(kSecond, "b", "1").of_epoch(1));
  f.store->checkpoint(f.dir / "chk/state");
  StateStoreOptions options;
  options.tables = {"new/table", "dedup/seen"};
  CHECK_THROWS_WITH(f.stores->restore(f.dir / "work-2", f.dir / "chk/state", options),
                    Contains("per_minute/windows") && Contains("--drop-state per_minute"));
  options.dropped_steps = {"per_minute"};
  auto restored = f.stores->restore(f.dir / "work-3", f.dir / "chk/state", options);
  CHECK(all(*restored, kFirst).empty());
  CHECK(all(*restored, kSecond) == Rows{{"b", "1"}});
  restored->checkpoint(f.dir / "chk-2/state");
  CHECK(f.stores->read(f.dir / "chk-2/state")->tables() == std::vector<std::string>{"dedup/seen", "new/table"});
}

TEST_CASE("a dropped step whose operator is still there starts with an empty table") {
  Fixture f;
  f.store->ingest(Changes().put(kFirst, "a", "1").of_epoch(1));
  f.store->checkpoint(f.dir / "chk/state");
  StateStoreOptions options = two_tables();
  options.dropped_steps = {"per_minute"};
  CHECK(all(*f.stores->restore(f.dir / "work-2", f.dir / "chk/state", options), kFirst).empty());
}

TEST_CASE("a damaged file is refused by name, a missing one too") {
  Fixture f;
  f.store->ingest(Changes().put(kFirst, "a", std::string(1000, 'x')).of_epoch(1));
  const auto files = f.store->checkpoint(f.dir / "chk/state");
  f.store.reset();
  for (const StateFile& file : files) {
    if (!file.name.ends_with(".sst")) continue;
    std::string bytes = read_file(f.dir / "chk/state" / file.name);
    for (char& c : bytes) c = static_cast<char>(c ^ 0x5a);
    f.dir.write("chk/state/" + file.name, bytes);
  }
  try {
    all(*f.stores->read(f.dir / "chk/state"), kFirst);
    FAIL("a damaged file was read");
  } catch (const Error& e) {
    CHECK(e.blame() == Blame::kRefused);
    CHECK_THAT(e.text(), Contains((f.dir / "chk/state").string()));
  }
  CHECK_THROWS_AS(f.stores->read(f.dir / "nothing"), Error);
}

TEST_CASE("many epochs do not pile up in level 0") {
  Fixture f;
  auto& store = dynamic_cast<RocksDbStore&>(*f.store);
  for (std::uint64_t epoch = 1; epoch <= 100; ++epoch) {
    Changes changes;
    for (int i = 0; i < 50; ++i) changes.put(kFirst, fmt::format("{:03}", (i * 37 + epoch) % 200), std::to_string(epoch));
    store.ingest(changes.of_epoch(epoch));
    CHECK(store.level0_files(kFirst) <= RocksDbStore::kMaxLevel0Files + 1);
  }
  CHECK(all(store, kFirst).size() == 200);
}

namespace {

/// A store whose compaction stands still, with more files in level 0 than it may have.
struct Stalled {
  explicit Stalled(StateStoreOptions options) {
    auto database = std::make_unique<Database>(dir / "work-1", Database::Mode::kReadWrite, live_database_options(options),
                                               options.tables);
    db = &database->db();
    store.emplace(std::move(database), options);
    (void)db->PauseBackgroundWork();
    while (store->level0_files(kFirst) <= RocksDbStore::kMaxLevel0Files) ingest(++epochs);
  }
  ~Stalled() { (void)db->ContinueBackgroundWork(); }
  void ingest(std::uint64_t epoch) {
    store->ingest(Changes().put(kFirst, "a", std::to_string(epoch)).put(kFirst, "z", "").of_epoch(epoch));
  }
  TemporaryFolder dir;
  std::optional<RocksDbStore> store;
  rocksdb::DB* db;
  std::uint64_t epochs = 0;
};

}  // namespace

TEST_CASE("tables that cannot be made are an error of the opening, whichever was the first that failed") {
  const TemporaryFolder dir;
  const StateStoreOptions options{.tables = {"a", "b"}};
  const std::vector<std::vector<std::string>> refused{{"a", "a"}, {"default"}, {"a", "b", "default"}, {"b", "c", "d", "c"}};
  for (const auto& tables : refused) {
    const auto open = [&] { Database(dir / "work-1", Database::Mode::kReadWrite, live_database_options(options), tables); };
    CHECK_THROWS_AS(open(), Error);
    std::filesystem::remove_all(dir / "work-1");
  }
}

TEST_CASE("a checkpoint does not wait for compaction") {
  Stalled f(two_tables());
  REQUIRE(f.store->level0_files(kFirst) > RocksDbStore::kMaxLevel0Files);
  f.store->checkpoint(f.dir / "chk");
  CHECK(all(*make_rocksdb_stores()->read(f.dir / "chk"), kFirst).at("a") == std::to_string(f.epochs));
}

TEST_CASE("an ingest that waits for compaction says so, and ends where compaction stands still") {
  StateStoreOptions options = two_tables();
  options.compaction_limit = Duration::milliseconds(100);
  std::vector<std::string> notes;
  options.note = [&notes](const std::string& text) { notes.push_back(text); };
  Stalled f(options);
  try {
    f.ingest(100);
    FAIL("it did not wait");
  } catch (const Error& e) {
    CHECK(e.blame() == Blame::kEnvironment);
    CHECK_THAT(e.text(), Contains("compaction of per_minute/windows") && Contains("make space on that disk"));
  }
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("waiting for compaction of per_minute/windows: 21 files in level 0"));
  (void)f.db->ContinueBackgroundWork();
  (void)f.db->PauseBackgroundWork();
}

TEST_CASE("an ingest that waits for compaction ends at once where compaction fails") {
  StateStoreOptions options = two_tables();
  Stalled f(options);
  rocksdb::Status full = rocksdb::Status::NoSpace("No space left on device");
  live_errors(*f.db).OnBackgroundError(rocksdb::BackgroundErrorReason::kCompaction, &full);
  try {
    f.ingest(100);
    FAIL("it did not end");
  } catch (const Error& e) {
    CHECK(e.blame() == Blame::kEnvironment);
    CHECK_THAT(e.text(), Contains("compact per_minute/windows") && Contains("make space on that disk"));
  }
  live_errors(*f.db).OnErrorRecoveryEnd({});
  CHECK_FALSE(live_errors(*f.db).current());
}

TEST_CASE("random epochs with restores equal a map") {
  const int seed = GENERATE(range(0, 12));
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto key = [&] { return fmt::format("{:02}", pick(60)); };
  Fixture f;
  Rows model;
  std::uint64_t epoch = 0;
  for (int round = 0; round < 40; ++round) {
    ++epoch;
    // What the engine does: the ranges first, then every key at most once.
    TableDelta delta;
    for (int i = pick(3); i > 0; --i) {
      std::string begin = key(), end = key();
      if (end < begin) std::swap(begin, end);
      delta.erase_range(begin, end);
      model.erase(model.lower_bound(begin), model.lower_bound(end));
    }
    std::set<std::string> changed;
    for (int i = pick(20); i > 0; --i) {
      const std::string k = key();
      if (!changed.insert(k).second) continue;
      if (pick(3) == 0) {
        delta.erase(k);
        model.erase(k);
      } else {
        const std::string value = fmt::format("{}-{}", epoch, i);
        delta.put(k, value);
        model[k] = value;
      }
    }
    delta.sort();
    EpochDelta of_epoch{{epoch}, {}};
    of_epoch.tables.emplace_back().push_back(std::move(delta));
    f.store->ingest(of_epoch);
    REQUIRE(all(*f.store, kFirst) == model);
    if (pick(6) == 0) {
      const std::string name = fmt::format("chk-{}", epoch);
      f.store->checkpoint(f.dir / name);
      REQUIRE(all(*f.stores->read(f.dir / name), kFirst) == model);
      f.store = f.stores->restore(f.dir / fmt::format("restored-{}", epoch), f.dir / name, two_tables());
      REQUIRE(all(*f.store, kFirst) == model);
    }
  }
}

}  // namespace weir
