#include "tests/support/batches.h"

#include <stdexcept>

#include "runtime/api/row_errors.h"

namespace weir {
namespace {

std::vector<std::string> split_outside_parentheses(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == separator && depth == 0) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

void append(ColumnBuilder& builder, const std::string& value) {
  if (value == "null") return builder.append_null();
  switch (builder.type().kind()) {
    case TypeKind::kBoolean: return builder.append_boolean(value == "t");
    case TypeKind::kInt:
    case TypeKind::kDate: return builder.append_int(std::stoi(value));
    case TypeKind::kBigint:
    case TypeKind::kTimestamp: return builder.append_bigint(std::stoll(value));
    case TypeKind::kDouble: return builder.append_double(std::stod(value));
    case TypeKind::kVarchar:
    case TypeKind::kBytea:
    case TypeKind::kJson: return builder.append_text(value);
    default: throw std::runtime_error("batch_of: no values of type " + builder.type().name());
  }
}

}  // namespace

SchemaPtr schema_of(const std::string& columns, const std::string& event_time) {
  std::vector<Field> fields;
  for (std::string part : split_outside_parentheses(columns, ',')) {
    part.erase(0, part.find_first_not_of(' '));
    const std::size_t space = part.find(' ');
    Field field{part.substr(0, space), Type::boolean()};
    if (auto error = parse_type(part.substr(space + 1), field))
      throw std::runtime_error("schema_of: " + error->text + ": " + part);
    field.metadata = field.name.starts_with('_');
    fields.push_back(field);
  }
  Schema schema(std::move(fields));
  if (!event_time.empty()) schema.set_event_time(schema.find(event_time).value());
  return std::make_shared<const Schema>(std::move(schema));
}

BatchPtr batch_of(const SchemaPtr& schema, const std::vector<std::string>& rows) { return batch_of(schema, rows, {}); }

BatchPtr batch_of(const SchemaPtr& schema, const std::vector<std::string>& rows, std::vector<RowKind> kinds) {
  std::vector<ColumnBuilder> builders;
  for (const Field& f : schema->fields()) builders.emplace_back(f.type);
  for (const std::string& row : rows) {
    const std::vector<std::string> values = split_outside_parentheses(row, '|');
    if (values.size() != builders.size()) throw std::runtime_error("batch_of: wrong number of values: " + row);
    for (std::size_t i = 0; i < values.size(); ++i) append(builders[i], values[i]);
  }
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& builder : builders) columns.push_back(builder.finish());
  return std::make_shared<const RecordBatch>(schema, std::move(columns), static_cast<std::int64_t>(rows.size()),
                                             std::move(kinds));
}

std::vector<std::string> rows_of(const RecordBatch& batch) {
  static constexpr const char* kKinds[] = {"+I ", "-U ", "+U ", "-D "};
  std::vector<std::string> rows;
  for (std::int64_t i = 0; i < batch.rows(); ++i) {
    std::string row = batch.kinds().empty() ? "" : kKinds[static_cast<int>(batch.kinds()[static_cast<std::size_t>(i)])];
    rows.push_back(row + row_as_json(batch, i));
  }
  return rows;
}

}  // namespace weir
