#pragma once
#include <rocksdb/options.h>

#include <memory>

#include "runtime/state/state_store.h"
#include "state/rocksdb/background_errors.h"

namespace weir {

/// How RocksDB is set up: nothing goes through memtable or write-ahead log, so both are as small as they can be; blocks of
/// all tables share one cache, indexes and filters with them, so that memory is bounded by it. A database that is only read
/// writes nothing, not even a log.
struct DatabaseOptions {
  rocksdb::DBOptions db;
  rocksdb::ColumnFamilyOptions table;                      ///< the same for all
  std::shared_ptr<BackgroundErrors> background = nullptr;  ///< of a live database
};

DatabaseOptions live_database_options(const StateStoreOptions& options);
DatabaseOptions read_only_database_options();

}  // namespace weir
