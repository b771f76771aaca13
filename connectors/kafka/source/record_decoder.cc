#include "connectors/kafka/source/record_decoder.h"

#include "connectors/formats/utf8.h"
#include "runtime/base/error.h"
#include "runtime/base/utf8.h"
#include "runtime/data/cut_text.h"
#include "runtime/data/json_text.h"

namespace weir {
namespace {

constexpr std::size_t kShownBytes = 200;

std::string_view bytes(const void* data, std::size_t size) { return {static_cast<const char*>(data), size}; }

std::optional<std::string_view> bytes_or_null(const void* data, std::size_t size) {
  return data ? std::optional(bytes(data, size)) : std::nullopt;
}

/// The value for a message: as text, cut after some bytes.
std::string shown(const rd_kafka_message_t& record) {
  if (!record.payload) return "null";
  const std::string_view value = bytes(record.payload, record.len);
  std::string out;
  append_json_string(out, first_characters(value, kShownBytes));
  return value.size() > kShownBytes ? fmt::format("{}… ({} bytes)", out, value.size()) : out;
}

/// A header's name is a text: bytes that are not UTF-8 become U+FFFD.
void append_name(std::string_view name, ColumnBuilder& column) {
  if (is_utf8(name)) return column.append_text(name);
  std::string text;
  while (!name.empty()) {
    const std::size_t good = first_invalid_utf8(name);
    text.append(name.substr(0, good));
    if (good < name.size()) text += "\xef\xbf\xbd";
    name.remove_prefix(std::min(good + 1, name.size()));
  }
  column.append_text(text);
}

void append_headers(const rd_kafka_message_t& record, ColumnBuilder& column) {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&record, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
    ColumnBuilder& row = column.child(0);
    const char* name = nullptr;
    const void* value = nullptr;
    std::size_t size = 0;
    for (std::size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
      append_name(name, row.child(0));
      value ? row.child(1).append_text(bytes(value, size)) : row.child(1).append_null();
      row.end_row();
    }
  }
  column.end_list();
}

}  // namespace

RecordDecoder::RecordDecoder(KafkaSourceSettingsPtr settings)
    : settings_(std::move(settings)), format_(settings_->format->make()) {
  for (const Field& f : settings_->schema->fields()) columns_.emplace_back(f.type);
}

BatchPtr RecordDecoder::decode(std::string_view topic, std::span<rd_kafka_message_t* const> records,
                               ErrorBatchBuilder& errors) {
  bad_.clear();
  without_row_.clear();
  decode_values(records);
  if (!bad_.empty()) refuse(topic, records, errors);
  list_rows(records.size());
  std::size_t column = static_cast<std::size_t>(settings_->value_columns);
  for (const RecordField field : settings_->metadata) append_metadata(field, topic, records, columns_[column++]);
  const std::int64_t rows = columns_.empty() ? 0 : columns_[0].size();
  if (rows == 0) return nullptr;
  std::vector<ColumnPtr> finished;
  finished.reserve(columns_.size());
  for (ColumnBuilder& b : columns_) finished.push_back(b.finish());
  return std::make_shared<const RecordBatch>(settings_->schema, std::move(finished), rows);
}

void RecordDecoder::decode_values(std::span<rd_kafka_message_t* const> records) {
  values_.clear();
  std::size_t first = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const rd_kafka_message_t& record = *records[i];
    if (record.payload) {
      values_.push_back(bytes(record.payload, record.len));
      continue;
    }
    decode_run(first);
    first = i + 1;
    if (!take_tombstone(i)) without_row_.push_back(i);
  }
  decode_run(first);
}

/// Decodes the values collected, which are those of the records from `first` on.
void RecordDecoder::decode_run(std::size_t first) {
  if (values_.empty()) return;
  run_errors_.clear();
  format_->decode(values_, std::span(columns_).first(static_cast<std::size_t>(settings_->value_columns)), run_errors_);
  for (DecodeError& e : run_errors_) bad_.push_back({first + e.record, std::move(e.reason)});
  values_.clear();
}

/// True if a null value gave a row, or an error.
bool RecordDecoder::take_tombstone(std::size_t record) {
  using Tombstone = KafkaSourceSettings::Tombstone;
  const Tombstone policy = settings_->null_is_value ? Tombstone::kRow : settings_->tombstone;
  if (policy == Tombstone::kSkip) return false;
  if (policy == Tombstone::kFail) {
    bad_.push_back({record, "the value is null (tombstone: skip leaves such records out, row makes rows of nulls)"});
    return true;
  }
  for (int i = 0; i < settings_->value_columns; ++i)
    if (!(*settings_->schema)[i].nullable) {
      bad_.push_back({record, fmt::format("the value is null, but column {} is not null", (*settings_->schema)[i].name)});
      return true;
    }
  for (int i = 0; i < settings_->value_columns; ++i) columns_[static_cast<std::size_t>(i)].append_null();
  return true;
}

void RecordDecoder::refuse(std::string_view topic, std::span<rd_kafka_message_t* const> records, ErrorBatchBuilder& errors) {
  if (settings_->on_error == OnError::kFail) {
    const Bad& bad = bad_.front();
    const rd_kafka_message_t& record = *records[bad.record];
    throw Error(Blame::kData, fmt::format("source {}: record {}-{}@{} cannot be read: {}; value: {} (on_error: skip leaves "
                                          "such records out, emit hands them "
                                          "to {}.errors)",
                                          settings_->name, topic, record.partition, record.offset, bad.reason, shown(record),
                                          settings_->name));
  }
  if (settings_->on_error == OnError::kSkip) return;
  for (const Bad& bad : bad_) {
    const rd_kafka_message_t& record = *records[bad.record];
    ErrorRow row = describe(record, topic);
    row.reason = bad.reason;
    row.step = settings_->name;
    errors.append(row);
  }
}

ErrorRow RecordDecoder::describe(const rd_kafka_message_t& record, std::string_view topic) {
  return {.topic = topic,
          .partition = record.partition,
          .offset = record.offset,
          .key = bytes_or_null(record.key, record.key_len),
          .value = bytes_or_null(record.payload, record.len)};
}

void RecordDecoder::list_rows(std::size_t records) {
  all_rows_ = bad_.empty() && without_row_.empty();
  if (all_rows_) return;
  rows_.clear();
  auto bad = bad_.begin();
  auto without = without_row_.begin();
  for (std::size_t i = 0; i < records; ++i) {
    if (bad != bad_.end() && bad->record == i) ++bad;
    else if (without != without_row_.end() && *without == i) ++without;
    else rows_.push_back(i);
  }
}

void RecordDecoder::append_metadata(RecordField field, std::string_view topic, std::span<rd_kafka_message_t* const> records,
                                    ColumnBuilder& column) {
  const auto for_each_row = [&](auto&& append) {
    if (all_rows_)
      for (rd_kafka_message_t* record : records) append(*record);
    else
      for (const std::size_t i : rows_) append(*records[i]);
  };
  switch (field) {
    case RecordField::kKey:
      return for_each_row(
          [&](const rd_kafka_message_t& r) { r.key ? column.append_text(bytes(r.key, r.key_len)) : column.append_null(); });
    case RecordField::kTopic: return for_each_row([&](const rd_kafka_message_t&) { column.append_text(topic); });
    case RecordField::kPartition: return for_each_row([&](const rd_kafka_message_t& r) { column.append_int(r.partition); });
    case RecordField::kOffset: return for_each_row([&](const rd_kafka_message_t& r) { column.append_bigint(r.offset); });
    case RecordField::kTimestamp:
      return for_each_row([&](const rd_kafka_message_t& r) {
        const std::int64_t millis = rd_kafka_message_timestamp(&r, nullptr);
        millis >= 0 ? column.append_bigint(millis * 1000) : column.append_null();
      });
    case RecordField::kHeaders: return for_each_row([&](const rd_kafka_message_t& r) { append_headers(r, column); });
  }
}

}  // namespace weir
