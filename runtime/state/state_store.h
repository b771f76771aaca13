#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/base/time.h"
#include "runtime/state/table_delta.h"

namespace weir {

/// A state table of a store: its place in the list that the store was opened with.
struct StateTableId {
  std::uint32_t value = 0;
  auto operator<=>(const StateTableId&) const = default;
};

/// Walks over keys of one table in bytewise order. Sees the table as it was when the cursor was made. key() and value() are
/// valid until next(). Not thread-safe. Errors throw Error.
class StateCursor {
 public:
  virtual ~StateCursor() = default;
  virtual bool valid() const = 0;
  virtual void next() = 0;
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
};

/// Reads state. Thread-safe; calls may block on the disk. What is damaged throws Error(kRefused) that names the file, what
/// cannot be read Error(kEnvironment).
class StateReader {
 public:
  virtual ~StateReader() = default;
  /// Names of the tables, `<step>/<table>`; a table's id is its place here.
  virtual const std::vector<std::string>& tables() const = 0;
  /// Copies the value of a key to `value`; false if there is none.
  virtual bool get(StateTableId table, std::string_view key, std::string& value) const = 0;
  /// From the first key >= begin to the last < end; an empty `end` is the end of the table.
  virtual std::unique_ptr<StateCursor> scan(StateTableId table, std::string_view begin = {},
                                            std::string_view end = {}) const = 0;
  /// Rows and bytes of a table on the disk. Rows are estimated (overwritten and deleted ones that compaction has not met
  /// count).
  struct Size {
    std::uint64_t rows = 0, bytes = 0;
  };
  virtual Size size(StateTableId table) const = 0;
};

/// The changes of all tasks in one epoch: by table id, one delta of each task that changed the table, sorted.
struct EpochDelta {
  Epoch epoch;
  std::vector<std::vector<TableDelta>> tables;
};

/// A file that a store's checkpoint consists of.
struct StateFile {
  std::string name;  ///< within the checkpoint's folder
  std::uint64_t size = 0;
  std::string checksum;  ///< as FileChecksum writes it
};

/// The job's state on the disk. It changes only by epoch deltas, in the order of epochs (README.md, the delta rule): what a
/// task changed since barrier N reaches it with the delta of N+1 and never before, so that a checkpoint holds exactly its
/// epoch.
///
/// ingest() and checkpoint() are called by one thread at a time, beside readers. Failures throw Error(kEnvironment) with the
/// path.
class StateStore : public StateReader {
 public:
  /// Applies the deltas of an epoch as one: afterwards all of it is there, or after an error nothing. Durable with the next
  /// checkpoint. Epochs rise.
  virtual void ingest(const EpochDelta& delta) = 0;
  /// Writes what was ingested into a new folder, complete in itself: large files by hard links. The folder's file system
  /// must be the store's. Returns its files; they and the folder are durable.
  virtual std::vector<StateFile> checkpoint(const std::filesystem::path& folder) = 0;
};

/// How a store is opened.
struct StateStoreOptions {
  // What changes results.
  std::vector<std::string> tables;         ///< `<step>/<table>`, all that operators declared
  std::vector<std::string> dropped_steps;  ///< `--drop-state`: tables of these steps are left out of what is restored
  // What changes only speed and memory.
  std::uint64_t cache_bytes = 64 << 20;  ///< for blocks that were read; a larger one saves reads
  std::uint64_t largest_file =
      256ull << 20;  ///< a delta beyond it becomes several files, which cost a place each in level 0
  int threads = 2;   ///< for compaction in the background
  Duration compaction_limit =
      Duration::seconds(60);  ///< an ingest that waits for compaction ends after so long without progress
  /// Told when something takes unusually long ("waiting for compaction: …"). Any thread.
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

/// Makes stores; handed in by the wiring, so that nothing else knows of which kind they are.
class StateStores {
 public:
  virtual ~StateStores() = default;
  /// An empty store in a folder that must not exist.
  virtual std::unique_ptr<StateStore> create(const std::filesystem::path& work, const StateStoreOptions& options) = 0;
  /// A store that begins with what a checkpoint's state folder holds. The checkpoint is not touched: large files are
  /// hard-linked (copied from another file system), small ones copied. A table of it that `options.tables` lacks, and no
  /// dropped step accounts for, throws Error(kRefused) that names it: state is never dropped in silence.
  virtual std::unique_ptr<StateStore> restore(const std::filesystem::path& work, const std::filesystem::path& from,
                                              const StateStoreOptions& options) = 0;
  /// Reads a checkpoint's state folder where it lies, with all its tables. Writes nothing there.
  virtual std::unique_ptr<StateReader> read(const std::filesystem::path& from) = 0;
};

}  // namespace weir
