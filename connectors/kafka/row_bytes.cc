#include "connectors/kafka/row_bytes.h"

#include "runtime/data/json_text.h"

namespace weir {

KeyWriter::KeyWriter(const KeyPlan& plan) : plan_(plan), object_(plan.object ? plan.object->make() : nullptr) {}

const RowBytes& KeyWriter::write(const RecordBatch& batch, const EvaluationContext& context, std::vector<RowError>& errors) {
  keys_.assign(static_cast<std::size_t>(batch.rows()), std::string_view());
  switch (plan_.kind) {
    case KeyPlan::Kind::kNone: break;
    case KeyPlan::Kind::kBytes:
    case KeyPlan::Kind::kJson:
      if (plan_.expression) evaluated_ = plan_.expression->evaluate(batch, nullptr, context, errors);
      write_column(plan_.expression ? *evaluated_ : batch.column(plan_.column));
      break;
    case KeyPlan::Kind::kObject: {
      bytes_.clear();
      bytes_.reserve(64);
      ends_.clear();
      object_->encode(batch, bytes_, ends_);
      std::size_t begin = 0;
      for (std::size_t i = 0; i < keys_.size(); begin = ends_[i++]) keys_[i] = {bytes_.as<char>() + begin, ends_[i] - begin};
      break;
    }
  }
  return keys_;
}

void KeyWriter::write_column(const Column& column) {
  if (plan_.kind == KeyPlan::Kind::kJson || !column.type().is_binary()) return write_texts(column);
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (column.valid(static_cast<std::int64_t>(i))) keys_[i] = not_null(column.text(static_cast<std::int64_t>(i)));
}

/// Values that are not bytes already: printed behind one another, then looked at when nothing moves any more.
void KeyWriter::write_texts(const Column& column) {
  bytes_.clear();
  bytes_.reserve(64);
  ends_.clear();
  for (std::int64_t i = 0; i < column.size(); ++i) {
    if (column.valid(i)) {
      scratch_.clear();
      plan_.kind == KeyPlan::Kind::kJson ? append_json(scratch_, column, i) : append_value(scratch_, column, i);
      bytes_.append(scratch_.data(), scratch_.size());
    }
    ends_.push_back(bytes_.size());
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < keys_.size(); begin = ends_[i++])
    if (column.valid(static_cast<std::int64_t>(i))) keys_[i] = {bytes_.as<char>() + begin, ends_[i] - begin};
}

}  // namespace weir
