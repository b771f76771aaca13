#include "state/rocksdb/database.h"

#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"
#include "state/rocksdb/status.h"

namespace weir {
namespace {

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

class Cursor final : public StateCursor {
 public:
  Cursor(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const std::filesystem::path& folder, std::string_view begin,
         std::string_view end)
      : folder_(folder), end_(end), end_slice_(end_) {
    rocksdb::ReadOptions options;
    if (!end_.empty()) options.iterate_upper_bound = &end_slice_;
    iterator_.reset(db.NewIterator(options, family));
    iterator_->Seek(slice(begin));
    check();
  }
  bool valid() const override { return iterator_->Valid(); }
  void next() override {
    iterator_->Next();
    check();
  }
  std::string_view key() const override { return {iterator_->key().data(), iterator_->key().size()}; }
  std::string_view value() const override { return {iterator_->value().data(), iterator_->value().size()}; }

 private:
  void check() const {
    if (!iterator_->Valid()) check_status(iterator_->status(), "read state in", folder_);
  }
  const std::filesystem::path& folder_;
  const std::string end_;
  const rocksdb::Slice end_slice_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace

std::vector<std::string> Database::tables_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  check_status(rocksdb::DB::ListColumnFamilies(read_only_database_options().db, folder.string(), &names), "read state in",
               folder);
  std::erase(names, rocksdb::kDefaultColumnFamilyName);
  return names;
}

Database::Database(const std::filesystem::path& folder, Mode mode, DatabaseOptions options, std::vector<std::string> tables)
    : folder_(folder), options_(std::move(options)), tables_(std::move(tables)) {
  std::vector<std::string> found = mode == Mode::kReadOnly         ? tables_
                                   : is_there(folder_ / "CURRENT") ? tables_in(folder_)
                                                                   : std::vector<std::string>();
  std::erase_if(
      found, [this](const std::string& table) { return std::find(tables_.begin(), tables_.end(), table) == tables_.end(); });
  std::vector<rocksdb::ColumnFamilyDescriptor> families{{rocksdb::kDefaultColumnFamilyName, options_.table}};
  for (const std::string& table : found) families.emplace_back(table, options_.table);
  rocksdb::DB* db = nullptr;
  check_status(mode == Mode::kReadOnly
                   ? rocksdb::DB::OpenForReadOnly(options_.db, folder_.string(), families, &families_, &db)
                   : rocksdb::DB::Open(options_.db, folder_.string(), families, &families_, &db),
               "open state in", folder_);
  db_.reset(db);
  if (mode == Mode::kReadOnly) return;
  try {
    make_missing(std::move(found));
  } catch (...) {
    close();  // RocksDB aborts the process where a database goes before the handles of its families
    throw;
  }
}

/// Makes the tables that are not among `found`, and puts the handles into the order of the tables. All at once: for each
/// that RocksDB makes by itself while it opens it writes the options of all anew, and reads them to compare, which with
/// hundreds takes minutes.
void Database::make_missing(std::vector<std::string> found) {
  std::vector<std::string> missing;
  for (const std::string& table : tables_)
    if (std::find(found.begin(), found.end(), table) == found.end()) missing.push_back(table);
  std::vector<rocksdb::ColumnFamilyHandle*> made;
  if (!missing.empty()) {
    const rocksdb::Status status = db_->CreateColumnFamilies(options_.table, missing, &made);
    families_.insert(families_.end(), made.begin(), made.end());
    check_status(status, "make tables in", folder_);
  }
  std::map<std::string, rocksdb::ColumnFamilyHandle*> by_name;
  for (rocksdb::ColumnFamilyHandle* family : families_) by_name[family->GetName()] = family;
  for (std::size_t i = 0; i < tables_.size(); ++i) families_[i + 1] = by_name.at(tables_[i]);
}

Database::~Database() { close(); }

void Database::close() {
  for (rocksdb::ColumnFamilyHandle* family : families_)
    if (family) (void)db_->DestroyColumnFamilyHandle(family);
  (void)db_->Close();
}

void Database::drop(const std::vector<StateTableId>& tables) {
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  for (const StateTableId table : tables) families.push_back(family(table));
  check_status(db_->DropColumnFamilies(families), "drop state in", folder_);
}

bool Database::get(StateTableId table, std::string_view key, std::string& value) const {
  const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), family(table), slice(key), &value);
  if (status.IsNotFound()) return false;
  check_status(status, "read state in", folder_);
  return true;
}

std::unique_ptr<StateCursor> Database::scan(StateTableId table, std::string_view begin, std::string_view end) const {
  return std::make_unique<Cursor>(*db_, family(table), folder_, begin, end);
}

/// The rows of a table if they are few enough to be counted.
std::optional<std::uint64_t> Database::count(StateTableId table) const {
  rocksdb::ReadOptions options;
  options.max_skippable_internal_keys = 10 * kCountedRows;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(options, family(table)));
  std::uint64_t rows = 0;
  for (iterator->SeekToFirst(); iterator->Valid() && rows <= kCountedRows; iterator->Next()) ++rows;
  return iterator->status().ok() && rows <= kCountedRows ? std::optional(rows) : std::nullopt;
}

std::uint64_t Database::rows(StateTableId table) const {
  if (const auto counted = count(table)) return *counted;
  std::uint64_t rows = 0;
  (void)db_->GetIntProperty(family(table), rocksdb::DB::Properties::kEstimateNumKeys, &rows);
  return std::max(rows, kCountedRows + 1);
}

std::uint64_t Database::bytes(StateTableId table) const {
  std::uint64_t bytes = 0;
  (void)db_->GetIntProperty(family(table), rocksdb::DB::Properties::kLiveSstFilesSize, &bytes);
  return bytes;
}

}  // namespace weir
