#pragma once
#include <optional>
#include <string>

#include "connectors/file/chunk.h"
#include "runtime/api/snapshot.h"

namespace weir {

/// A file that has grown is read on at a place whose last byte read is around[0], with up to two more behind it: how many
/// bytes there belong to the end of the line before. Nothing when that line has no end there, and so goes on.
std::optional<std::int64_t> bytes_to_line_end(std::string_view around);

/// Reads a split of a file from its `next` to its `end`, chunk by chunk. All calls block; one at a time. Failures throw
/// weir::Error that names the file.
class FileChunks {
 public:
  /// Opens nothing yet.
  FileChunks(const SplitState& split, RecordFraming framing, bool has_header);
  ~FileChunks();
  FileChunks(const FileChunks&) = delete;
  FileChunks& operator=(const FileChunks&) = delete;

  /// The next chunk, which has records unless it is the last; nothing after the last.
  std::optional<Chunk> read();

 private:
  void open();
  std::string header_of_file();
  std::string read_at(std::int64_t offset, std::size_t most) const;

  std::string path_;
  std::int64_t at_, end_;
  std::int64_t line_;
  RecordFraming framing_;
  bool has_header_;
  int descriptor_ = -1;
  std::optional<ChunkCutter> cutter_;
  std::optional<std::string> header_;  ///< for the first chunk, where reading begins behind it
  bool done_ = false;
};

}  // namespace weir
