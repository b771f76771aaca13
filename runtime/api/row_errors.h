#pragma once
#include <functional>
#include <string>
#include <vector>

#include "runtime/api/operator.h"
#include "runtime/data/record_batch.h"
#include "runtime/expr/expression.h"
#include "runtime/metrics/counters.h"

namespace weir {

/// What happens to a row that cannot be processed.
enum class OnError {
  kFail,  ///< The job ends with an error that names step, row and reason.
  kSkip,  ///< The row is counted and left out.
  kEmit,  ///< The row goes to the stream `<name>.errors`.
};

/// The columns of every errors stream: reason varchar, step varchar, topic varchar, partition int, offset bigint, key bytea,
/// value bytea.
const SchemaPtr& error_schema();

/// One row for an errors stream. What is not known is null.
struct ErrorRow {
  std::string_view reason;
  std::string_view step;
  std::optional<std::string_view> topic{};
  std::optional<std::int32_t> partition{};
  std::optional<std::int64_t> offset{};
  std::optional<std::string_view> key{};
  std::optional<std::string_view> value{};
};

/// Collects error rows into a batch of error_schema().
class ErrorBatchBuilder {
 public:
  ErrorBatchBuilder();
  void append(const ErrorRow& row);
  std::int64_t size() const { return columns_[0].size(); }
  /// The rows so far as a batch (null if there are none); the builder is empty afterwards.
  BatchPtr finish();

 private:
  std::vector<ColumnBuilder> columns_;
};

/// Why a row failed, and in which expression: what messages and errors streams say.
std::string reason_of(const RowError& error);

/// Puts the errors of several expressions in the order of rows; those of one row keep theirs.
void sort_errors(std::vector<RowError>& errors);

/// The rows 0 to rows-1 that are not among the errors (ascending): what to keep of results that were computed once. Whoever
/// evaluates the other rows again may see other rows fail, for now() and random() are not the same twice.
std::vector<std::int32_t> rows_without(std::span<const RowError> errors, std::int64_t rows);

/// Follows a step's on_error for rows whose expression failed: throws weir::Error (data) that names step, row, expression
/// and values; or counts; or emits them to `port` with the row as JSON in `value`, and topic, partition, offset, key from
/// the metadata columns where the row carries them. `errors` is ascending; equal rows count once, with the first reason.
void handle_row_errors(OnError policy, std::string_view step, const RecordBatch& batch, std::span<const RowError> errors,
                       int port, TaskCounters& counters, Output& out);

/// The record that a row of a source was made from (SourceReader::record_of).
using RecordOf = std::function<ErrorRow(std::int64_t row)>;

/// The same for rows of source `source` just as they were read: emitted errors hold the records as they came.
void handle_record_errors(OnError policy, std::string_view source, const RecordBatch& batch,
                          std::span<const RowError> errors, const RecordOf& record_of, int port, TaskCounters& counters,
                          Output& out);

/// Row i as a compact JSON object of all columns. For messages and errors streams; not for the main path.
std::string row_as_json(const RecordBatch& batch, std::int64_t row);
/// The same for messages: long values are cut, and so is the row.
std::string row_for_message(const RecordBatch& batch, std::int64_t row);

}  // namespace weir
