#pragma once

#include "state/rocksdb/database.h"

namespace weir {

/// The live state of a job. Deltas become files that are ingested in one call, so that RocksDB's memtable and write-ahead
/// log stay empty and an epoch is there as a whole or not at all.
class RocksDbStore final : public StateStore {
 public:
  /// Takes an open database; deltas are written beside its files.
  RocksDbStore(std::unique_ptr<Database> database, StateStoreOptions options);

  const std::vector<std::string>& tables() const override { return options_.tables; }
  bool get(StateTableId table, std::string_view key, std::string& value) const override {
    return database_->get(table, key, value);
  }
  std::unique_ptr<StateCursor> scan(StateTableId table, std::string_view begin, std::string_view end) const override {
    return database_->scan(table, begin, end);
  }
  Size size(StateTableId table) const override;

  void ingest(const EpochDelta& delta) override;
  std::vector<StateFile> checkpoint(const std::filesystem::path& folder) override;

  /// Above so many files in level 0 of a table the next ingest waits for compaction: every read would look into each. Where
  /// compaction fails or stands still it ends with Error(kEnvironment).
  static constexpr int kMaxLevel0Files = 20;
  int level0_files(StateTableId table) const;

 private:
  void wait_for_compaction(StateTableId table);
  void forget_rows(const EpochDelta& changed);

  const std::unique_ptr<Database> database_;
  const StateStoreOptions options_;
  const std::filesystem::path deltas_;  ///< where files wait for their ingestion
  Epoch last_;
  mutable std::mutex rows_mutex_;
  mutable std::vector<std::optional<std::uint64_t>> rows_;  ///< of each table, since it last changed
};

}  // namespace weir
