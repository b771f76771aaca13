#include "connectors/kafka/sink/row_bytes.h"

#include "runtime/data/json_text.h"
#include "runtime/data/key_codec.h"

namespace weir {

KeyWriter::KeyWriter(const KeyPlan& plan) : plan_(plan), object_(plan.object ? plan.object->make() : nullptr) {}

const RowBytes& KeyWriter::write(const RecordBatch& batch, const EvaluationContext& context, std::vector<RowError>& errors) {
  keys_.assign(static_cast<std::size_t>(batch.rows()), std::string_view());
  switch (plan_.kind) {
    case KeyPlan::Kind::kNone: break;
    case KeyPlan::Kind::kBytes:
    case KeyPlan::Kind::kJson:
      evaluated_ = canonical_column(plan_.expression ? plan_.expression->evaluate(batch, nullptr, context, errors)
                                                     : batch.columns()[static_cast<std::size_t>(plan_.column)]);
      write_column(*evaluated_);
      break;
    case KeyPlan::Kind::kObject: {
      bytes_.clear();
      bytes_.reserve(64);
      ends_.clear();
      object_->encode(*in_one_form(batch), bytes_, ends_);
      std::size_t begin = 0;
      for (std::size_t i = 0; i < keys_.size(); begin = ends_[i++]) keys_[i] = {bytes_.as<char>() + begin, ends_[i] - begin};
      break;
    }
  }
  return keys_;
}

/// Equal keys are written alike, or a topic would hold them beside one another.
BatchPtr KeyWriter::in_one_form(const RecordBatch& batch) {
  std::vector<ColumnPtr> columns;
  for (const ColumnPtr& column : batch.columns()) columns.push_back(canonical_column(column));
  return std::make_shared<const RecordBatch>(batch.schema(), std::move(columns), batch.rows(),
                                             std::vector<RowKind>(batch.kinds().begin(), batch.kinds().end()));
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
