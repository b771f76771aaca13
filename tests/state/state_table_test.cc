#include "runtime/state/state_table.h"

#include <catch2/catch.hpp>

#include "state/rocksdb/rocksdb_stores.h"
#include "tests/support/table_model.h"
#include "tests/support/temporary_folder.h"

namespace weir {

TEST_CASE("a state table over RocksDB equals a map through random calls") {
  const unsigned seed = GENERATE(range(0u, 4u));
  const TemporaryFolder dir;
  StateStoreOptions options;
  options.tables = {"step/rows"};
  const auto store = make_rocksdb_stores()->create(dir / "work", options);
  TableAndModel both(*store, 2, {}, seed);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 400; ++i) both.step();
    both.restart();
  }
}

TEST_CASE("row sets over RocksDB equal a map through random calls") {
  const unsigned seed = GENERATE(range(0u, 4u));
  const TemporaryFolder dir;
  StateStoreOptions options;
  options.tables = {"step/rows"};
  const auto store = make_rocksdb_stores()->create(dir / "work", options);
  SetsAndModel both(*store, 2, {}, seed);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 400; ++i) both.step();
    both.restart();
  }
}

}  // namespace weir
