#include "connectors/formats/line_encoder.h"

#include "connectors/formats/changelog.h"
#include "connectors/formats/formats.h"

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

}  // namespace

std::optional<LineFormat> bind_line_format(const Component& sink, const BoundInput& input, Diagnostics& diagnostics) {
  const auto form = read_changelog(sink, *input.schema, input.location, false, diagnostics);
  std::vector<int> columns = columns_of_lines(sink, input, diagnostics);
  if (!form || columns.empty()) return std::nullopt;
  LineFormat lines;
  if (*form == ChangelogForm::kAppendOp) {
    if (!put_op_first(sink, *input.schema, columns, diagnostics)) return std::nullopt;
    lines.with_op = with_op(*input.schema);
  }
  lines.encoders = bind_sink_format(sink, lines.with_op ? *lines.with_op : *input.schema, std::move(columns), diagnostics);
  return lines.encoders ? std::optional(std::move(lines)) : std::nullopt;
}

void LineEncoder::encode(const RecordBatch& batch, std::string& out) {
  bytes_.clear();
  ends_.clear();
  if (with_op_) encoder_->encode(*with_op(batch, with_op_), bytes_, ends_);
  else encoder_->encode(batch, bytes_, ends_);
  out.reserve(out.size() + bytes_.size() + ends_.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    out.append(bytes_.as<char>() + begin, end - begin);
    out += '\n';
    begin = end;
  }
}

}  // namespace weir
