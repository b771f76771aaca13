#include "connectors/generator/generator_reader.h"

#include "runtime/base/error.h"

namespace weir {

void GeneratorReader::add_splits(std::vector<SplitState> splits) {
  splits_.insert(splits_.end(), splits.begin(), splits.end());
}

InputStatus GeneratorReader::poll_next(SourceOutput& out) {
  const auto split = std::find_if(splits_.begin(), splits_.end(), [](const SplitState& s) { return !s.ended; });
  if (split == splits_.end()) return no_more_splits_ ? InputStatus::kEndOfInput : InputStatus::kNothingAvailable;
  std::int64_t count = batch_size_->next();
  if (split->end) count = std::min(count, *split->end - split->next);
  const Duration now = task_.attempt->clock->steady();
  count = pace_.due(now, count);
  if (count > 0) {
    emit_rows(*split, count, out);
  } else if (!split->end || split->next < *split->end) {
    out.caught_up(*split);
    task_.wake_after(pace_.until_next(now));
    return InputStatus::kNothingAvailable;
  }
  split->ended = split->end && split->next >= *split->end;
  return InputStatus::kMoreAvailable;
}

void GeneratorReader::emit_rows(SplitState& split, std::int64_t count, SourceOutput& out) {
  std::vector<RowError> errors;
  const std::int64_t first = split.next;
  BatchPtr rows = generate(*plan_, first, count, task_.attempt->clock->now(), errors);
  if (!errors.empty()) handle_errors(errors, first, out);
  split.next += count;
  pace_.made(count);
  task_.counters->rows_in.add(static_cast<std::uint64_t>(count));
  batch_size_->made(static_cast<std::size_t>(count), rows->bytes());
  if (rows->rows() > 0) out.emit(split, std::move(rows));
}

void GeneratorReader::handle_errors(const std::vector<RowError>& errors, std::int64_t first, SourceOutput& out) {
  if (plan_->on_error == OnError::kFail) {
    throw Error(Blame::kData,
                fmt::format("source {}: {}; n = {} (on_error: skip leaves such rows out, emit hands them to {}.errors)",
                            plan_->name, reason_of(errors.front()), first + errors.front().row, plan_->name));
  }
  ErrorBatchBuilder builder;
  std::int32_t last = -1;
  for (const RowError& e : errors) {
    if (std::exchange(last, e.row) == e.row) continue;
    task_.counters->errors.add(1);
    if (plan_->on_error == OnError::kSkip) continue;
    const std::string reason = reason_of(e), value = fmt::format("{{\"n\":{}}}", first + e.row);
    builder.append({.reason = reason, .step = plan_->name, .offset = first + e.row, .value = value});
  }
  if (BatchPtr rows = builder.finish()) out.emit_errors(std::move(rows));
}

}  // namespace weir
