#include "state/rocksdb/rocksdb_stores.h"

#include <system_error>

#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"
#include "state/rocksdb/database.h"
#include "state/rocksdb/rocksdb_store.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

/// Reads a checkpoint where it lies.
class RocksDbReader final : public StateReader {
 public:
  explicit RocksDbReader(const fs::path& folder)
      : database_(folder, Database::Mode::kReadOnly, read_only_database_options(), Database::tables_in(folder)) {}
  const std::vector<std::string>& tables() const override { return database_.tables(); }
  bool get(StateTableId table, std::string_view key, std::string& value) const override {
    return database_.get(table, key, value);
  }
  std::unique_ptr<StateCursor> scan(StateTableId table, std::string_view begin, std::string_view end) const override {
    return database_.scan(table, begin, end);
  }
  Size size(StateTableId table) const override { return {database_.rows(table), database_.bytes(table)}; }

 private:
  Database database_;
};

/// Gives the database at `work` the files of the checkpoint at `from`: those that never change by hard links.
void take_files(const fs::path& work, const fs::path& from) {
  std::error_code error;
  for (fs::directory_iterator i(from, error), end; !error && i != end; i.increment(error)) {
    const fs::path to = work / i->path().filename();
    if (i->path().extension() == ".sst") link_or_copy_file(i->path(), to);
    else copy_file_durably(i->path(), to);
  }
  if (error)
    throw Error(Blame::kEnvironment, fmt::format("cannot read {}: {}", from.string(), system_reason(error.value())));
}

/// True if the table's step is one whose state is to be dropped.
bool is_dropped(const std::string& table, const std::vector<std::string>& steps) {
  const std::string step = table.substr(0, table.rfind('/'));
  return std::find(steps.begin(), steps.end(), step) != steps.end();
}

/// Takes the tables of dropped steps out of the database at `work`.
void drop_tables(const fs::path& work, const StateStoreOptions& options, const std::vector<std::string>& found) {
  Database database(work, Database::Mode::kReadWrite, live_database_options(options), found);
  std::vector<StateTableId> dropped;
  for (std::uint32_t i = 0; i < found.size(); ++i)
    if (is_dropped(found[i], options.dropped_steps)) dropped.push_back({i});
  database.drop(dropped);
}

class RocksDbStores final : public StateStores {
 public:
  std::unique_ptr<StateStore> create(const fs::path& work, const StateStoreOptions& options) override {
    make_work_folder(work);
    return open(work, options);
  }

  std::unique_ptr<StateStore> restore(const fs::path& work, const fs::path& from,
                                      const StateStoreOptions& options) override {
    const std::vector<std::string> found = Database::tables_in(from);
    bool drops = false;
    for (const std::string& table : found) {
      if (is_dropped(table, options.dropped_steps)) drops = true;
      else if (std::find(options.tables.begin(), options.tables.end(), table) == options.tables.end())
        throw Error(
            Blame::kRefused,
            fmt::format("the checkpoint holds state of a step that the pipeline does not have or that keeps its state "
                        "otherwise now: give the step its name back, or drop its state with --drop-state {}; table: {}",
                        table.substr(0, table.rfind('/')), table));
    }
    make_work_folder(work);
    take_files(work, from);
    if (drops) drop_tables(work, options, found);
    return open(work, options);
  }

  std::unique_ptr<StateReader> read(const fs::path& from) override { return std::make_unique<RocksDbReader>(from); }

 private:
  static void make_work_folder(const fs::path& work) {
    if (is_there(work)) throw Error(Blame::kBug, fmt::format("the folder of a new store exists: {}", work.string()));
    make_folders(work);
  }
  static std::unique_ptr<StateStore> open(const fs::path& work, const StateStoreOptions& options) {
    return std::make_unique<RocksDbStore>(
        std::make_unique<Database>(work, Database::Mode::kReadWrite, live_database_options(options), options.tables),
        options);
  }
};

}  // namespace

std::unique_ptr<StateStores> make_rocksdb_stores() { return std::make_unique<RocksDbStores>(); }

}  // namespace weir
