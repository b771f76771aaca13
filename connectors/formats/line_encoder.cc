#include "connectors/formats/line_encoder.h"

namespace weir {
namespace {

bool is_one_text(const Schema& schema, const std::vector<int>& columns) {
  if (columns.size() != 1) return columns.empty();
  const TypeKind kind = schema[columns[0]].type.kind();
  return kind == TypeKind::kVarchar || kind == TypeKind::kBytea;
}

}  // namespace

std::vector<int> columns_of_lines(const Component& sink, const BoundInput& input, Diagnostics& diagnostics) {
  const Schema& schema = *input.schema;
  std::vector<int> columns;
  if (schema.changelog()) {
    diagnostics.error(input.location, fmt::format("a {} sink cannot write a changelog: not supported yet", sink.type),
                      "write rows that never change, or write to Kafka");
    return columns;
  }
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

void LineEncoder::encode(const RecordBatch& batch, std::string& out) {
  bytes_.clear();
  ends_.clear();
  encoder_->encode(batch, bytes_, ends_);
  out.reserve(out.size() + bytes_.size() + ends_.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    out.append(bytes_.as<char>() + begin, end - begin);
    out += '\n';
    begin = end;
  }
}

}  // namespace weir
