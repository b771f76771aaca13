#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connectors/file/chunk.h"
#include "connectors/formats/decoder.h"
#include "runtime/api/row_errors.h"
#include "runtime/api/source.h"

namespace weir {

/// What the rows of a source of lines are made with.
struct LineSourcePlan {
  std::string name;
  SchemaPtr schema;
  std::shared_ptr<const DecoderFactory> decoders;
  RecordFraming framing = RecordFraming::kNonEmptyLines;
  OnError on_error = OnError::kFail;
};

/// Turns the records of chunks into rows, a batch at a time, and lets bad ones follow on_error. Belongs to one task.
class ChunkDecoder {
 public:
  explicit ChunkDecoder(std::shared_ptr<const LineSourcePlan> plan);

  /// Takes a chunk of a file; `path` is what messages call it. Throws weir::Error (data) when its header does not fit the
  /// schema.
  void take(std::string path, Chunk chunk);
  /// True while there are records.
  bool has_records() const { return chunk_ && at_ < chunk_->records.size(); }
  bool has_chunk() const { return chunk_.has_value(); }
  const Chunk& chunk() const { return *chunk_; }
  /// The line at the end of the chunk.
  std::int64_t end_line() const { return line_of(chunk_->records.size()); }
  /// Gives the chunk up.
  void drop() { chunk_.reset(); }

  /// What one batch of records came to.
  struct Rows {
    BatchPtr rows;      ///< null: none
    BatchPtr errors;    ///< null: none
    std::int64_t next;  ///< offset behind the last record of the batch
    std::int64_t line;  ///< the line of the record after it
  };
  /// At most `most` records. Throws weir::Error (data) for a bad one under on_error: fail.
  Rows decode(std::size_t most, TaskCounters& counters);
  /// The record that row `row` of the last decode was made from, for an errors stream; valid until the chunk is dropped.
  ErrorRow record_of(std::int64_t row) const;

 private:
  BatchPtr handle_errors(TaskCounters& counters);
  ErrorRow describe(std::size_t record) const;
  /// The line in which a record of the chunk begins, not before `counted_`; one past the last: the line at the end.
  std::int64_t line_of(std::size_t record) const;
  std::size_t begin_of(std::size_t record) const;
  /// `path:line`, or `path:line:column` where the error is about a place in its record.
  std::string place_of(const DecodeError& error) const;

  std::shared_ptr<const LineSourcePlan> plan_;
  std::unique_ptr<RowDecoder> decoder_;
  std::vector<ColumnBuilder> columns_;
  std::optional<Chunk> chunk_;
  std::string path_;
  std::size_t at_ = 0;       ///< the next record
  std::size_t first_ = 0;    ///< the first one of the last decode
  std::size_t counted_ = 0;  ///< byte of the chunk up to which lines are counted
  std::int64_t line_ = 1;    ///< the line there
  std::vector<std::string_view> records_;
  std::vector<DecodeError> errors_;  ///< of the last decode, by rising record
};

}  // namespace weir
