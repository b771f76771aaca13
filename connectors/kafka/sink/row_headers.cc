#include "connectors/kafka/sink/row_headers.h"

#include <new>

namespace weir {
namespace {

// What the two lengths of a header take, at most, but for one that is longer than 2 MiB.
constexpr std::int64_t kLengths = 8;

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

template <typename Take>
void HeaderWriter::visit(std::int64_t row, Take take) {
  if (settings_.passed_headers >= 0) visit_passed(row, take);
  for (std::size_t i = 0; i < settings_.headers.size(); ++i) {
    const Column& column = *columns_[i];
    if (!column.valid(row)) {
      take(settings_.headers[i].name, nullptr);
      continue;
    }
    scratch_.clear();
    if (!column.type().is_binary()) append_value(scratch_, column, row);
    const std::string_view value = column.type().is_binary() ? column.text(row) : std::string_view(scratch_);
    take(settings_.headers[i].name, &value);
  }
}

/// The array of (key, value) rows as it came: in order, duplicates and nulls kept.
template <typename Take>
void HeaderWriter::visit_passed(std::int64_t row, Take take) const {
  if (!passed_->valid(row)) return;
  const Column& element = *passed_->children()[0];
  const Column& names = *element.children()[0];
  const Column& values = *element.children()[1];
  for (std::int32_t i = passed_->offsets()[row]; i < passed_->offsets()[row + 1]; ++i) {
    if (!element.valid(i)) continue;
    const std::string_view value = values.valid(i) ? values.text(i) : std::string_view();
    take(names.valid(i) ? names.text(i) : std::string_view(), values.valid(i) ? &value : nullptr);
  }
}

std::vector<std::int64_t> HeaderWriter::sizes(std::int64_t rows) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(rows), 0);
  for (std::int64_t row = 0; row < rows; ++row)
    visit(row, [&](std::string_view name, const std::string_view* value) {
      sizes[static_cast<std::size_t>(row)] +=
          kLengths + static_cast<std::int64_t>(name.size() + (value ? value->size() : 0));
    });
  return sizes;
}

HeadersPtr HeaderWriter::headers(std::int64_t row) {
  if (!settings_.has_headers()) return nullptr;
  HeadersPtr out(rd_kafka_headers_new(settings_.headers.size()));
  if (!out) throw std::bad_alloc();
  visit(row, [&](std::string_view name, const std::string_view* value) { add(out.get(), name, value); });
  return out;
}

}  // namespace weir
