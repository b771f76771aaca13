#include "connectors/kafka/sink/row_headers.h"

#include <new>

namespace weir {
namespace {

/// librdkafka takes an empty value for null unless it has an address.
void add(rd_kafka_headers_t* out, std::string_view name, const std::string_view* value) {
  const char* bytes = value ? (value->data() ? value->data() : "") : nullptr;
  rd_kafka_header_add(out, name.data() ? name.data() : "", static_cast<ssize_t>(name.size()), bytes,
                      value ? static_cast<ssize_t>(value->size()) : 0);
}

}  // namespace

void HeaderWriter::begin(const RecordBatch& batch, const EvaluationContext& context, std::vector<RowError>& errors) {
  columns_.clear();
  for (const HeaderPlan& h : settings_.headers)
    columns_.push_back(h.expression ? h.expression->evaluate(batch, nullptr, context, errors)
                                    : batch.columns()[static_cast<std::size_t>(h.column)]);
  if (settings_.passed_headers >= 0) passed_ = batch.columns()[static_cast<std::size_t>(settings_.passed_headers)];
}

HeadersPtr HeaderWriter::headers(std::int64_t row) {
  if (!settings_.has_headers()) return nullptr;
  HeadersPtr out(rd_kafka_headers_new(settings_.headers.size()));
  if (!out) throw std::bad_alloc();
  if (settings_.passed_headers >= 0) pass_on(out.get(), row);
  for (std::size_t i = 0; i < settings_.headers.size(); ++i) {
    const Column& column = *columns_[i];
    if (!column.valid(row)) {
      add(out.get(), settings_.headers[i].name, nullptr);
      continue;
    }
    scratch_.clear();
    if (!column.type().is_binary()) append_value(scratch_, column, row);
    const std::string_view value = column.type().is_binary() ? column.text(row) : std::string_view(scratch_);
    add(out.get(), settings_.headers[i].name, &value);
  }
  return out;
}

/// The array of (key, value) rows as it came: in order, duplicates and nulls kept.
void HeaderWriter::pass_on(rd_kafka_headers_t* out, std::int64_t row) const {
  if (!passed_->valid(row)) return;
  const Column& element = *passed_->children()[0];
  const Column& names = *element.children()[0];
  const Column& values = *element.children()[1];
  for (std::int32_t i = passed_->offsets()[row]; i < passed_->offsets()[row + 1]; ++i) {
    if (!element.valid(i)) continue;
    const std::string_view value = values.valid(i) ? values.text(i) : std::string_view();
    add(out, names.valid(i) ? names.text(i) : std::string_view(), values.valid(i) ? &value : nullptr);
  }
}

}  // namespace weir
