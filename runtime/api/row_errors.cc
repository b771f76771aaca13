#include "runtime/api/row_errors.h"

#include "runtime/base/error.h"
#include "runtime/base/secrets.h"
#include "runtime/data/cut_text.h"
#include "runtime/data/json_text.h"

namespace weir {

const SchemaPtr& error_schema() {
  static const SchemaPtr schema = std::make_shared<const Schema>(std::vector<Field>{{"reason", Type::varchar()},
                                                                                    {"step", Type::varchar()},
                                                                                    {"topic", Type::varchar()},
                                                                                    {"partition", Type::integer()},
                                                                                    {"offset", Type::bigint()},
                                                                                    {"key", Type::bytea()},
                                                                                    {"value", Type::bytea()}});
  return schema;
}

ErrorBatchBuilder::ErrorBatchBuilder() {
  for (const Field& f : error_schema()->fields()) columns_.emplace_back(f.type);
}

void ErrorBatchBuilder::append(const ErrorRow& row) {
  const auto text = [](ColumnBuilder& b, const std::optional<std::string_view>& v) {
    v ? b.append_text(*v) : b.append_null();
  };
  columns_[0].append_text(has_secrets() ? masked(std::string(row.reason)) : row.reason);
  columns_[1].append_text(row.step);
  text(columns_[2], row.topic);
  row.partition ? columns_[3].append_int(*row.partition) : columns_[3].append_null();
  row.offset ? columns_[4].append_bigint(*row.offset) : columns_[4].append_null();
  text(columns_[5], row.key);
  text(columns_[6], row.value);
}

BatchPtr ErrorBatchBuilder::finish() {
  const std::int64_t rows = size();
  if (!rows) return nullptr;
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& b : columns_) columns.push_back(b.finish());
  return std::make_shared<const RecordBatch>(error_schema(), std::move(columns), rows);
}

std::string row_as_json(const RecordBatch& batch, std::int64_t row) {
  std::string out = "{";
  for (int i = 0; i < batch.schema()->size(); ++i) {
    if (i) out += ',';
    append_json_string(out, (*batch.schema())[i].name);
    out += ':';
    append_json(out, batch.column(i), row);
  }
  return out + "}";
}

std::string row_for_message(const RecordBatch& batch, std::int64_t row) {
  constexpr std::size_t kLongestValue = 200, kLongestRow = 2000;
  std::string out = "{", value;
  for (int i = 0; i < batch.schema()->size() && out.size() < kLongestRow; ++i) {
    if (i) out += ',';
    append_json_string(out, (*batch.schema())[i].name);
    out += ':';
    value.clear();
    append_json(value, batch.column(i), row);
    out += cut_for_message(value, kLongestValue);
  }
  return cut_for_message(out + "}", kLongestRow);
}

std::string reason_of(const RowError& error) {
  return error.expression.empty() ? error.reason : fmt::format("{} in \"{}\"", error.reason, error.expression);
}

void sort_errors(std::vector<RowError>& errors) {
  std::stable_sort(errors.begin(), errors.end(), [](const RowError& a, const RowError& b) { return a.row < b.row; });
}

std::vector<std::int32_t> rows_without(std::span<const RowError> errors, std::int64_t rows) {
  std::vector<std::int32_t> good;
  good.reserve(static_cast<std::size_t>(rows));
  auto error = errors.begin();
  for (std::int32_t row = 0; row < rows; ++row) {
    while (error != errors.end() && error->row < row) ++error;
    if (error == errors.end() || error->row != row) good.push_back(row);
  }
  return good;
}

namespace {

/// Fills topic, partition, offset and key from the metadata columns where the row carries them.
void fill_origin(ErrorRow& error, const RecordBatch& batch, std::int64_t row) {
  const auto column = [&](std::string_view name, TypeKind kind) -> const Column* {
    const auto i = batch.schema()->find(name);
    return i && batch.column(*i).type().kind() == kind && batch.column(*i).valid(row) ? &batch.column(*i) : nullptr;
  };
  if (const Column* c = column("_topic", TypeKind::kVarchar)) error.topic = c->text(row);
  if (const Column* c = column("_partition", TypeKind::kInt)) error.partition = c->values<std::int32_t>()[row];
  if (const Column* c = column("_offset", TypeKind::kBigint)) error.offset = c->values<std::int64_t>()[row];
  if (const Column* c = column("_key", TypeKind::kBytea)) error.key = c->text(row);
}

/// Where a record was, for messages: `orders-3@17`, or `path@120`; empty if it is not known.
std::string place_of(const ErrorRow& record) {
  if (!record.topic || !record.offset) return "";
  const std::string partition = record.partition ? fmt::format("-{}", *record.partition) : "";
  return fmt::format("record {}{}@{}: ", *record.topic, partition, *record.offset);
}

/// Counts rows and, under kEmit, hands on what `describe(error)` says of each.
template <typename Describe>
void count_and_emit(OnError policy, std::span<const RowError> errors, int port, TaskCounters& counters, Output& out,
                    Describe describe) {
  ErrorBatchBuilder builder;
  std::int32_t last = -1;
  for (const RowError& e : errors) {
    if (e.row == last) continue;
    last = e.row;
    counters.errors.add(1);
    if (policy == OnError::kEmit) describe(e, builder);
  }
  if (BatchPtr rows = builder.finish()) out.emit(port, std::move(rows));
}

}  // namespace

void handle_row_errors(OnError policy, std::string_view step, const RecordBatch& batch, std::span<const RowError> errors,
                       int port, TaskCounters& counters, Output& out) {
  if (errors.empty()) return;
  if (policy == OnError::kFail) {
    const RowError& e = errors.front();
    throw Error(Blame::kData,
                fmt::format("step {}: {}; row: {} (on_error: skip leaves such rows out, emit hands them to {}.errors)", step,
                            reason_of(e), row_for_message(batch, e.row), step));
  }
  count_and_emit(policy, errors, port, counters, out, [&](const RowError& e, ErrorBatchBuilder& builder) {
    const std::string reason = reason_of(e), value = row_as_json(batch, e.row);
    ErrorRow row{.reason = reason, .step = step, .value = value};
    fill_origin(row, batch, e.row);
    builder.append(row);
  });
}

void handle_record_errors(OnError policy, std::string_view source, const RecordBatch& batch,
                          std::span<const RowError> errors, const RecordOf& record_of, int port, TaskCounters& counters,
                          Output& out) {
  if (errors.empty()) return;
  if (policy == OnError::kFail) {
    const RowError& e = errors.front();
    throw Error(Blame::kData,
                fmt::format("source {}: {}{}; row: {} (on_error: skip leaves such rows out, emit hands them to {}.errors)",
                            source, place_of(record_of(e.row)), reason_of(e), row_for_message(batch, e.row), source));
  }
  count_and_emit(policy, errors, port, counters, out, [&](const RowError& e, ErrorBatchBuilder& builder) {
    ErrorRow row = record_of(e.row);
    const std::string reason = reason_of(e);
    row.reason = reason;
    row.step = source;
    const std::string made =
        row.topic || row.value ? std::string() : row_as_json(batch, e.row);  // a row that no record was read for
    if (!made.empty()) row.value = made;
    builder.append(row);
  });
}

}  // namespace weir
