#pragma once
#include <rocksdb/file_checksum.h>

#include <memory>

namespace weir {

/// Makes RocksDB compute FileChecksum for every file that it writes, so that a checkpoint needs not read them again.
std::shared_ptr<rocksdb::FileChecksumGenFactory> make_checksum_factory();

}  // namespace weir
