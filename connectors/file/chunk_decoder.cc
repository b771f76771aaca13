#include "connectors/file/chunk_decoder.h"

#include "runtime/base/error.h"

namespace weir {

ChunkDecoder::ChunkDecoder(std::shared_ptr<const LineSourcePlan> plan)
    : plan_(std::move(plan)), decoder_(plan_->decoders->make()) {
  for (const Field& f : plan_->schema->fields()) columns_.emplace_back(f.type);
}

void ChunkDecoder::take(std::string path, Chunk chunk) {
  path_ = std::move(path);
  chunk_ = std::move(chunk);
  at_ = 0;
  line_ = chunk_->line;
  counted_ = 0;
  if (!chunk_->header) return;
  if (const auto reason = decoder_->take_header(*chunk_->header))
    throw Error(Blame::kData, fmt::format("source {}: {}:1: {}", plan_->name, path_, *reason));
}

ChunkDecoder::Rows ChunkDecoder::decode(std::size_t most, TaskCounters& counters) {
  first_ = at_;
  const std::size_t end = std::min(chunk_->records.size(), first_ + most);
  records_.clear();
  errors_.clear();
  std::size_t bytes = 0;
  for (; at_ < end; ++at_) {
    records_.push_back(chunk_->record(at_));
    bytes += records_.back().size();
  }
  counters.rows_in.add(records_.size());
  counters.bytes.add(bytes);
  decoder_->decode(records_, columns_, errors_);
  Rows result{};
  if (!errors_.empty()) result.errors = handle_errors(counters);
  line_ = line_of(end);
  counted_ = begin_of(end);
  result.next = chunk_->begin + chunk_->records[end - 1].next;
  result.line = line_;
  const std::int64_t rows = columns_[0].size();
  if (rows == 0) return result;
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& builder : columns_) columns.push_back(builder.finish());
  result.rows = std::make_shared<const RecordBatch>(plan_->schema, std::move(columns), rows);
  return result;
}

BatchPtr ChunkDecoder::handle_errors(TaskCounters& counters) {
  ErrorBatchBuilder builder;
  for (const DecodeError& e : errors_) {
    const std::size_t record = first_ + e.record;
    const std::string reason = fmt::format("{}: {}", place_of(e), e.reason);
    if (plan_->on_error == OnError::kFail) {
      throw Error(Blame::kData,
                  fmt::format("source {}: {} (on_error: skip leaves such records out, emit hands them to {}.errors)",
                              plan_->name, reason, plan_->name));
    }
    counters.errors.add(1);
    if (plan_->on_error == OnError::kSkip) continue;
    ErrorRow row = describe(record);
    row.reason = reason;
    row.step = plan_->name;
    builder.append(row);
  }
  return builder.finish();
}

ErrorRow ChunkDecoder::describe(std::size_t record) const {
  return {.topic = path_, .offset = chunk_->begin + chunk_->records[record].begin, .value = chunk_->record(record)};
}

ErrorRow ChunkDecoder::record_of(std::int64_t row) const {
  std::size_t record = static_cast<std::size_t>(row);
  for (const DecodeError& e : errors_)
    if (e.record <= record) ++record;
  return describe(first_ + record);
}

std::int64_t ChunkDecoder::line_of(std::size_t record) const {
  const auto bytes = chunk_->bytes.begin();
  return line_ + std::count(bytes + static_cast<std::ptrdiff_t>(counted_),
                            bytes + static_cast<std::ptrdiff_t>(begin_of(record)), '\n');
}

std::string ChunkDecoder::place_of(const DecodeError& error) const {
  const std::size_t record = first_ + error.record;
  if (!error.at) return fmt::format("{}:{}", path_, line_of(record));
  const std::string_view before = chunk_->record(record).substr(0, *error.at);
  const std::string_view in_line = before.substr(before.rfind('\n') + 1);
  const auto characters = std::count_if(in_line.begin(), in_line.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return fmt::format("{}:{}:{}", path_, line_of(record) + std::count(before.begin(), before.end(), '\n'), characters + 1);
}

std::size_t ChunkDecoder::begin_of(std::size_t record) const {
  return record < chunk_->records.size() ? chunk_->records[record].begin : chunk_->bytes.size();
}

}  // namespace weir
