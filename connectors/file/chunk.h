#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/formats/record_splitter.h"

namespace weir {

/// Whole records from one place of a file or stream.
struct Chunk {
  struct Record {
    std::uint32_t begin, size;  ///< in `bytes`
    std::uint32_t next;         ///< behind it and its terminator
  };
  std::int64_t begin = 0;  ///< offset in the file of the first byte
  std::int64_t line = 1;   ///< the line it is in, from 1
  std::string bytes;
  std::vector<Record> records;
  std::optional<std::string> header{};  ///< a record for RowDecoder::take_header, before `records`
  bool last = false;                    ///< nothing follows
  bool open = false;                    ///< and a quote of csv was not closed before

  std::int64_t end() const { return begin + static_cast<std::int64_t>(bytes.size()); }
  std::string_view record(std::size_t i) const { return std::string_view(bytes).substr(records[i].begin, records[i].size); }
};

/// Cuts bytes that come in pieces into chunks of whole records. Not thread-safe.
class ChunkCutter {
 public:
  /// The first byte that will be added is at offset `begin`, in `line`; at 0 a byte-order mark is taken off, but for raw
  /// lines. `header`: the first record is one.
  ChunkCutter(RecordFraming framing, std::int64_t begin, std::int64_t line, bool header);

  void add(std::string_view bytes) { rest_.append(bytes); }
  /// The records that are whole, perhaps none; the rest stays. With `last` nothing more comes, and what is left is a record.
  /// Throws weir::Error (data), to be read behind the name of the file, when one record is longer than 256 MiB and when the
  /// first bytes are those of something else than text.
  Chunk cut(bool last);

 private:
  bool begin(bool last);

  RecordFraming framing_;
  RecordSplitter splitter_;
  bool begun_;
  bool header_;
  std::int64_t begin_;
  std::int64_t line_;
  std::string rest_;  ///< from begin_ on
};

}  // namespace weir
