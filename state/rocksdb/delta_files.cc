#include "state/rocksdb/delta_files.h"

#include <rocksdb/sst_file_writer.h>

#include "state/rocksdb/status.h"

namespace weir {
namespace {

/// Writes one table's files, one after the other.
class FileSeries {
 public:
  FileSeries(const DatabaseOptions& options, const std::filesystem::path& folder, const std::string& prefix,
             std::uint64_t largest)
      : writer_(rocksdb::EnvOptions(), rocksdb::Options(options.db, options.table)),
        folder_(folder),
        prefix_(prefix),
        largest_(largest) {}

  void add(const TableDelta::Range& range) {
    begin();
    check(writer_.DeleteRange(range.begin, range.end));
  }

  void add(const TableDelta::Entry& entry) {
    if (open_ && writer_.FileSize() >= largest_) finish();
    begin();
    check(entry.value ? writer_.Put(slice(entry.key), slice(*entry.value)) : writer_.Delete(slice(entry.key)));
  }

  std::vector<DeltaFile> take() {
    if (open_) finish();
    return std::move(files_);
  }

 private:
  static rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
  void check(const rocksdb::Status& status) const { check_status(status, "write", files_.back().path); }

  void begin() {
    if (open_) return;
    files_.push_back({folder_ / fmt::format("{}-{}.sst", prefix_, files_.size()), {}, {}});
    check(writer_.Open(files_.back().path.string()));
    open_ = true;
  }
  void finish() {
    rocksdb::ExternalSstFileInfo info;
    check(writer_.Finish(&info));
    files_.back().checksum = info.file_checksum;
    files_.back().checksum_name = info.file_checksum_func_name;
    open_ = false;
  }

  rocksdb::SstFileWriter writer_;
  const std::filesystem::path& folder_;
  const std::string& prefix_;
  const std::uint64_t largest_;
  std::vector<DeltaFile> files_;
  bool open_ = false;
};

}  // namespace

std::vector<DeltaFile> write_delta_files(const std::vector<TableDelta>& deltas, const DatabaseOptions& options,
                                         const std::filesystem::path& folder, const std::string& prefix,
                                         std::uint64_t largest) {
  FileSeries files(options, folder, prefix, largest);
  for (const TableDelta& delta : deltas)
    for (const TableDelta::Range& range : delta.ranges()) files.add(range);
  DeltaMerge merge(deltas);
  while (const TableDelta::Entry* entry = merge.next()) files.add(*entry);
  return files.take();
}

}  // namespace weir
