#include "state/rocksdb/rocksdb_store.h"

#include <thread>

#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"
#include "runtime/state/file_checksum.h"
#include "state/rocksdb/delta_files.h"
#include "state/rocksdb/status.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

/// Keeps files from being deleted while they are linked.
class KeepFiles {
 public:
  explicit KeepFiles(const Database& database) : db_(database.db()) {
    check_status(db_.DisableFileDeletions(), "keep files in", database.folder());
  }
  ~KeepFiles() { (void)db_.EnableFileDeletions(/*force=*/false); }
  KeepFiles(const KeepFiles&) = delete;
  KeepFiles& operator=(const KeepFiles&) = delete;

 private:
  rocksdb::DB& db_;
};

rocksdb::IngestExternalFileArg ingest_arg(rocksdb::ColumnFamilyHandle* family, const std::vector<DeltaFile>& files) {
  rocksdb::IngestExternalFileArg arg;
  arg.column_family = family;
  arg.options.move_files = true;
  arg.options.write_global_seqno =
      false;  // a written file is never changed: its checksum stays right, and it may be hard-linked
  arg.options.verify_file_checksum = false;  // just computed
  for (const DeltaFile& file : files) {
    arg.external_files.push_back(file.path.string());
    arg.files_checksums.push_back(file.checksum);
    arg.files_checksum_func_names.push_back(file.checksum_name);
  }
  return arg;
}

/// Puts one of the database's files into a checkpoint's folder.
StateFile put_file(const rocksdb::LiveFileStorageInfo& file, const fs::path& folder) {
  const fs::path from = fs::path(file.directory) / file.relative_filename, to = folder / file.relative_filename;
  if (!file.replacement_contents.empty()) {
    write_file_durably(to, file.replacement_contents);
    return {file.relative_filename, file.replacement_contents.size(), FileChecksum::of(file.replacement_contents)};
  }
  if (file.file_type == rocksdb::kTableFile) {
    link_or_copy_file(from, to);  // ingestion and compaction have synced it
    const bool known = file.file_checksum.size() == 32;
    return {file.relative_filename, file.size, known ? file.file_checksum : FileChecksum::of_file(to)};
  }
  // RocksDB goes on writing to these: only the first `size` bytes are of this checkpoint.
  std::string bytes = read_whole_file(from, 1ull << 30);
  if (bytes.size() < file.size)
    throw Error(Blame::kEnvironment, fmt::format("{} has {} bytes, expected {}", from.string(), bytes.size(), file.size));
  bytes.resize(file.size);
  write_file_durably(to, bytes);
  return {file.relative_filename, bytes.size(), FileChecksum::of(bytes)};
}

std::int64_t seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration_cast<std::chrono::seconds>(to - from).count();
}

}  // namespace

RocksDbStore::RocksDbStore(std::unique_ptr<Database> database, StateStoreOptions options)
    : database_(std::move(database)),
      options_(std::move(options)),
      deltas_(database_->folder() / "deltas"),
      rows_(options_.tables.size()) {
  make_folders(deltas_);
}

void RocksDbStore::ingest(const EpochDelta& delta) {
  if (delta.epoch <= last_)
    throw Error(Blame::kBug, fmt::format("epoch {} would be ingested after epoch {}", delta.epoch.value, last_.value));
  if (delta.tables.size() > options_.tables.size())
    throw Error(Blame::kBug,
                fmt::format("a delta of {} tables, where there are {}", delta.tables.size(), options_.tables.size()));
  std::vector<rocksdb::IngestExternalFileArg> args;
  for (std::uint32_t i = 0; i < delta.tables.size(); ++i) {
    const auto files = write_delta_files(delta.tables[i], database_->options(), deltas_,
                                         fmt::format("{}-{}", delta.epoch.value, i), options_.largest_file);
    if (files.empty()) continue;
    wait_for_compaction({i});
    args.push_back(ingest_arg(database_->family({i}), files));
  }
  if (!args.empty()) check_status(database_->db().IngestExternalFiles(args), "ingest into", database_->folder());
  forget_rows(delta);
  last_ = delta.epoch;
}

/// Only an ingest changes how many rows there are, so that a table which does not change is counted once.
StateReader::Size RocksDbStore::size(StateTableId table) const {
  const std::lock_guard lock(rows_mutex_);
  std::optional<std::uint64_t>& rows = rows_[table.value];
  if (!rows) rows = database_->rows(table);
  return {*rows, database_->bytes(table)};
}

void RocksDbStore::forget_rows(const EpochDelta& changed) {
  const std::lock_guard lock(rows_mutex_);
  for (std::size_t i = 0; i < changed.tables.size(); ++i)
    if (!changed.tables[i].empty()) rows_[i].reset();
}

int RocksDbStore::level0_files(StateTableId table) const {
  std::string text;
  return database_->db().GetProperty(database_->family(table), rocksdb::DB::Properties::kNumFilesAtLevelPrefix + "0", &text)
             ? std::stoi(text)
             : 0;
}

void RocksDbStore::wait_for_compaction(StateTableId table) {
  using SteadyClock = std::chrono::steady_clock;
  constexpr auto kPatience = std::chrono::seconds(10);
  const std::string& name = options_.tables[table.value];
  const auto limit = std::chrono::microseconds(options_.compaction_limit.micros);
  const auto begun = SteadyClock::now();
  auto told = begun - kPatience, moved = begun;
  for (int before = 0;;) {
    const int files = level0_files(table);
    if (files <= kMaxLevel0Files) return;
    const auto now = SteadyClock::now();
    if (const auto error = database_->options().background->current())
      check_status(*error, fmt::format("compact {} in", name), database_->folder());
    if (files < before || before == 0) moved = now;
    before = files;
    if (now - moved > limit)
      throw Error(
          Blame::kEnvironment,
          fmt::format("compaction of {} in {} stands still for {} s, and without it every read would look into each file: "
                      "make space on that disk, or find out why it is so slow; {} files in level 0",
                      name, database_->folder().string(), seconds_between(moved, now), files));
    if (now - told >= kPatience) {
      options_.note(fmt::format("waiting for compaction of {}: {} files in level 0, for {} s", name, files,
                                seconds_between(begun, now)));
      told = now;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

std::vector<StateFile> RocksDbStore::checkpoint(const fs::path& folder) {
  const KeepFiles keep(*database_);
  rocksdb::LiveFilesStorageInfoOptions options;
  options.include_checksum_info = true;
  // Memtables are empty. A flush all the same would wait, for ever where compaction cannot go on, until level 0 has room for
  // one more file.
  options.wal_size_for_flush = std::numeric_limits<std::uint64_t>::max();
  std::vector<rocksdb::LiveFileStorageInfo> live;
  check_status(database_->db().GetLiveFilesStorageInfo(options, &live), "list files of", database_->folder());
  make_folders(folder);
  std::vector<StateFile> files;
  for (const auto& file : live)
    if (file.file_type != rocksdb::kWalFile)
      files.push_back(put_file(file, folder));  // nothing goes through the write-ahead log
  sync_folder(folder);
  return files;
}

}  // namespace weir
