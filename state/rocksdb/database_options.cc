#include "state/rocksdb/database_options.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/write_buffer_manager.h>

#include "state/rocksdb/checksum_factory.h"

namespace weir {
namespace {

/// RocksDB's own log: what matters comes back as a status.
class SilentLogger final : public rocksdb::Logger {
 public:
  SilentLogger() : Logger(rocksdb::InfoLogLevel::FATAL_LEVEL) {}
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

rocksdb::CompressionType fast_compression() {
  const auto supported = rocksdb::GetSupportedCompressions();
  for (const auto type : {rocksdb::kLZ4Compression, rocksdb::kSnappyCompression})
    if (std::find(supported.begin(), supported.end(), type) != supported.end()) return type;
  return rocksdb::kNoCompression;
}

DatabaseOptions options_with_cache(std::uint64_t cache_bytes) {
  DatabaseOptions options;
  options.db.info_log = std::make_shared<SilentLogger>();
  options.db.file_checksum_gen_factory = make_checksum_factory();
  options.db.skip_stats_update_on_db_open = true;
  // RocksDB's own threads for it are 16 for each table, also where it has no file; and where the system refuses one it ends
  // the process.
  options.db.max_file_opening_threads = 1;
  options.db.skip_checking_sst_file_sizes_on_db_open = true;  // sizes are verified with the manifest

  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = rocksdb::NewLRUCache(cache_bytes);
  blocks.cache_index_and_filter_blocks = true;
  blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  blocks.format_version = 5;
  // Filters and indexes in pieces: a file's whole filter would push everything else out of a small cache.
  blocks.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  blocks.partition_filters = true;
  blocks.metadata_block_size = 4096;
  // Those of ingested files stay at hand until compaction: every read asks each file of level 0.
  blocks.metadata_cache_options.top_level_index_pinning = rocksdb::PinningTier::kAll;
  blocks.metadata_cache_options.partition_pinning = rocksdb::PinningTier::kFlushedAndSimilar;
  blocks.cache_index_and_filter_blocks_with_high_priority = true;
  // Memtables stay empty; what they take is part of the cache's bytes all the same.
  options.db.write_buffer_manager =
      std::make_shared<rocksdb::WriteBufferManager>(std::max<std::uint64_t>(1 << 20, cache_bytes / 8), blocks.block_cache);
  options.table.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  options.table.compression = fast_compression();
  options.table.level_compaction_dynamic_level_bytes = true;
  // Deltas are about a tenth of this: with a much larger first level every few of them would rewrite all of it.
  options.table.max_bytes_for_level_base = std::clamp<std::uint64_t>(cache_bytes, 16 << 20, 256 << 20);
  options.table.target_file_size_base = options.table.max_bytes_for_level_base / 4;
  // Memtables stay empty; files of up to one and a half of this size are pinned as "flushed and similar".
  options.table.write_buffer_size = 32 << 20;
  options.table.arena_block_size = 4 << 10;
  options.table.max_write_buffer_number = 2;
  return options;
}

}  // namespace

DatabaseOptions live_database_options(const StateStoreOptions& options) {
  DatabaseOptions made = options_with_cache(options.cache_bytes);
  made.background = std::make_shared<BackgroundErrors>();
  made.db.listeners.push_back(made.background);
  made.db.create_if_missing = true;
  made.db.max_background_jobs = options.threads;
  made.db.max_subcompactions = 1;
  made.db.avoid_unnecessary_blocking_io = true;  // files are deleted in the background, not by a reader
  return made;
}

DatabaseOptions read_only_database_options() { return options_with_cache(32 << 20); }

}  // namespace weir
