#include "operators/key_by.h"

#include "runtime/api/component.h"

namespace weir {

bool KeyBy::has(std::string_view name) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const KeyPart& p) { return p.field.name == name; });
}

Exchange KeyBy::exchange() const {
  Exchange exchange{Exchange::Kind::kHash};
  const bool computed = std::any_of(parts_.begin(), parts_.end(), [](const KeyPart& p) { return !p.column; });
  for (const KeyPart& p : parts_) {
    if (computed) exchange.keys.push_back(p.expression);
    else exchange.columns.push_back(*p.column);
  }
  return exchange;
}

std::vector<Field> KeyBy::fields() const {
  std::vector<Field> fields;
  for (const KeyPart& p : parts_) fields.push_back(p.field);
  return fields;
}

std::vector<ColumnPtr> KeyBy::evaluate(const RecordBatch& batch, const EvaluationContext& context,
                                       std::vector<RowError>& errors) const {
  std::vector<ColumnPtr> columns;
  columns.reserve(parts_.size());
  for (const KeyPart& p : parts_)
    columns.push_back(p.column ? batch.columns()[static_cast<std::size_t>(*p.column)]
                               : p.expression->evaluate(batch, nullptr, context, errors));
  return columns;
}

std::optional<KeyPart> bind_key_column(const Text& name, const Schema& input, Diagnostics& diagnostics) {
  const std::optional<int> column = find_column(name, input, diagnostics);
  if (!column) return std::nullopt;
  KeyPart part{input[*column], column};
  part.field.metadata = false;  // a value like any other, in tables and in results
  return part;
}

void BatchKeys::encode(std::span<const ColumnPtr> parts, std::int64_t rows) {
  keys_.encode(parts, rows);
  key_hashes(keys_, hashes_);
}

}  // namespace weir
