#include "connectors/formats/line_encoder.h"

#include <cstring>

#include "connectors/formats/changelog.h"
#include "connectors/formats/formats.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

bool is_one_text(const Schema& schema, const std::vector<int>& columns) {
  if (columns.size() != 1) return columns.empty();
  const TypeKind kind = schema[columns[0]].type.kind();
  return kind == TypeKind::kVarchar || kind == TypeKind::kBytea;
}

/// The columns to write; empty where there is a problem, which is reported.
std::vector<int> columns_of_lines(const Component& sink, const BoundInput& input, Diagnostics& diagnostics) {
  const Schema& schema = *input.schema;
  std::vector<int> columns;
  if (sink.format->type == "raw" && schema == *error_schema()) return {*schema.find("value")};
  for (int i = 0; i < schema.size(); ++i) {
    if (!schema[i].metadata) columns.push_back(i);
  }
  if (sink.format->type == "raw" && !is_one_text(schema, columns)) {
    std::string found;
    for (const int c : columns)
      found += fmt::format("{}{} {}", found.empty() ? "" : ", ", schema[c].name, schema[c].type.name());
    diagnostics.error(sink.format->location, fmt::format("format raw writes one column, bytea or varchar, not {}", found),
                      "leave one with select: { value: \"...\" }");
    return {};
  }
  if (columns.empty())
    diagnostics.error(input.location, fmt::format("sink {} has no column to write: all are metadata", sink.name),
                      "give them names with select: { offset: _offset }");
  return columns;
}

/// An empty line is no row for those who read csv, so a null must not be written as one.
bool writes_empty_lines(const Component& sink, const Schema& written, const std::vector<int>& columns,
                        Diagnostics& diagnostics) {
  const FormatConfig& format = *sink.format;
  if (format.type != "csv" || !format.declaration || !format.config.usable() || columns.size() != 1) return false;
  const Field& column = written[columns[0]];
  if (!column.nullable || !format.config.text("null_text").empty()) return false;
  diagnostics.error(
      format.location,
      fmt::format("a null of {}, the only column, would be an empty line, which csv reads as no row", column.name),
      "write format: { type: csv, null_text: NULL }");
  return true;
}

}  // namespace

std::optional<LineFormat> bind_line_format(const Component& sink, const BoundInput& input, Diagnostics& diagnostics) {
  const auto form = read_changelog(sink, *input.schema, input.location, false, diagnostics);
  std::vector<int> columns = columns_of_lines(sink, input, diagnostics);
  if (!form || columns.empty()) return std::nullopt;
  LineFormat lines{
      .sink = sink.name, .on_error = read_on_error(sink.config), .refuses_line_feeds = sink.format->type == "raw"};
  if (*form == ChangelogForm::kAppendOp) {
    if (!put_op_first(sink, *input.schema, columns, diagnostics)) return std::nullopt;
    lines.with_op = with_op(*input.schema);
  }
  const Schema& written = lines.with_op ? *lines.with_op : *input.schema;
  if (writes_empty_lines(sink, written, columns, diagnostics)) return std::nullopt;
  lines.encoders = bind_sink_format(sink, written, std::move(columns), diagnostics);
  return lines.encoders ? std::optional(std::move(lines)) : std::nullopt;
}

bool LineEncoder::is_line(std::size_t begin, std::size_t end) const {
  return !format_.refuses_line_feeds || begin == end || !std::memchr(bytes_.as<char>() + begin, '\n', end - begin);
}

std::int64_t LineEncoder::encode(const RecordBatch& batch, std::string& lines, TaskCounters& counters, Output& out) {
  bytes_.clear();
  ends_.clear();
  if (format_.with_op) encoder_->encode(*with_op(batch, format_.with_op), bytes_, ends_);
  else encoder_->encode(batch, bytes_, ends_);
  lines.reserve(lines.size() + bytes_.size() + ends_.size());
  std::vector<RowError> errors;
  std::size_t begin = 0;
  for (std::size_t row = 0; row < ends_.size(); begin = ends_[row++]) {
    if (!is_line(begin, ends_[row])) [[unlikely]] {
      errors.push_back({static_cast<std::int32_t>(row), "a line break in a value that format raw writes as one line"});
      continue;
    }
    lines.append(bytes_.as<char>() + begin, ends_[row] - begin);
    lines += '\n';
  }
  if (errors.empty()) return batch.rows();
  if (format_.on_error == OnError::kFail)
    throw Error(
        Blame::kData,
        fmt::format(
            "sink {}: {}; row: {} (use format: json; on_error: skip leaves such rows out, emit hands them to {}.errors)",
            format_.sink, errors.front().reason, row_for_message(batch, errors.front().row), format_.sink));
  handle_row_errors(format_.on_error, format_.sink, batch, errors, 0, counters, out);
  return batch.rows() - static_cast<std::int64_t>(errors.size());
}

}  // namespace weir
