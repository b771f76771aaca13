#pragma once
#include <rocksdb/db.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/state/row_count.h"
#include "runtime/state/state_store.h"
#include "state/rocksdb/database_options.h"

namespace weir {

/// An open database with its tables as column families. RocksDB's own family `default` stays empty and is no table.
class Database {
 public:
  /// How a database is opened.
  enum class Mode { kReadWrite, kReadOnly };
  /// Opens `folder`. `tables` are made where they are missing (kReadWrite only); those it has beside must be among `tables`.
  Database(const std::filesystem::path& folder, Mode mode, DatabaseOptions options, std::vector<std::string> tables);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// The tables that lie in a folder, without opening it for good.
  static std::vector<std::string> tables_in(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  const DatabaseOptions& options() const { return options_; }
  const std::vector<std::string>& tables() const { return tables_; }
  rocksdb::DB& db() const { return *db_; }
  rocksdb::ColumnFamilyHandle* family(StateTableId table) const { return families_[table.value + 1]; }
  /// Takes tables out for good.
  void drop(const std::vector<StateTableId>& tables);

  bool get(StateTableId table, std::string_view key, std::string& value) const;
  std::unique_ptr<StateCursor> scan(StateTableId table, std::string_view begin, std::string_view end) const;
  /// Rows of a table: counted where they are few, else RocksDB's estimate.
  std::uint64_t rows(StateTableId table) const;
  std::uint64_t bytes(StateTableId table) const;

 private:
  void make_missing(std::vector<std::string> found);
  void close();
  std::optional<std::uint64_t> count(StateTableId table) const;

  const std::filesystem::path folder_;
  const DatabaseOptions options_;
  const std::vector<std::string> tables_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  ///< `default`, then the tables
};

}  // namespace weir
