#pragma once
#include <memory>

#include "runtime/state/state_store.h"

namespace weir {

/// Stores on RocksDB: one database, a column family per state table.
std::unique_ptr<StateStores> make_rocksdb_stores();

}  // namespace weir
