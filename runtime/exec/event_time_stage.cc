#include "runtime/exec/event_time_stage.h"

namespace weir {
namespace {

/// After so long a split is looked at again that was caught up and has rows waiting now.
constexpr Duration kLookAgain = Duration::milliseconds(100);

}  // namespace

EventTimeStage::EventTimeStage(const EventTime& options, SchemaPtr rows, std::string name, const Clock& clock)
    : options_(options),
      rows_(std::move(rows)),
      name_(std::move(name)),
      clock_(clock),
      generator_({.max_out_of_orderness = options.max_out_of_orderness, .step = options.step}) {}

void EventTimeStage::add_split(const SplitState& split) {
  generator_.add_split(split.largest_time);
  numbers_[split.topic][split.partition] = static_cast<int>(splits_.size());
  splits_.push_back({split.topic, split.partition, false, std::nullopt});
  if (split.ended) generator_.set_ended(static_cast<int>(splits_.size()) - 1);
}

int EventTimeStage::number_of(const SplitState& split) const {
  const auto topic = numbers_.find(split.topic);
  if (topic == numbers_.end()) return -1;
  const auto partition = topic->second.find(split.partition);
  return partition == topic->second.end() ? -1 : partition->second;
}

std::optional<Timestamp> EventTimeStage::largest_time(const SplitState& split) const {
  const int n = number_of(split);
  return n < 0 ? split.largest_time : generator_.largest(n);
}

Timestamp EventTimeStage::watermark_of(const SplitState& split) const {
  const int n = number_of(split);
  return n < 0 ? Timestamp::none() : generator_.watermark_of_split(n);
}

bool EventTimeStage::is_idle(const SplitState& split) const {
  const int n = number_of(split);
  return n >= 0 && generator_.is_idle(n);
}

void EventTimeStage::on_batch(const SplitState& split, const BatchPtr& batch, const RecordOf& record_of,
                              TaskCounters& counters, Output& out, const Send& send) {
  const int number = number_of(split);
  std::vector<RowError> errors;
  BatchPtr timed = with_event_time(*batch, errors);
  check_times(timed->column(options_.column), errors);
  if (!errors.empty()) {
    handle_record_errors(options_.on_error, name_, *batch, errors, record_of, 1, counters, out);
    const std::vector<std::int32_t> good = rows_without(errors, timed->rows());
    if (good.empty()) return;
    timed = take(*timed, good);
  }
  splits_[static_cast<std::size_t>(number)].caught_up_at.reset();
  const Column& times = timed->column(options_.column);
  cuts_.clear();
  generator_.on_rows(number, {times.values<std::int64_t>(), static_cast<std::size_t>(timed->rows())}, cuts_);
  std::int64_t begin = 0;
  for (const auto& cut : cuts_) {
    if (cut.row == timed->rows() && begin == 0) {
      send(timed, cut.watermark);
    } else {
      send(cut.row > begin ? slice(*timed, begin, cut.row - begin) : nullptr, cut.watermark);
    }
    begin = cut.row;
  }
  if (begin < timed->rows()) send(begin == 0 ? timed : slice(*timed, begin, timed->rows() - begin), std::nullopt);
}

BatchPtr EventTimeStage::with_event_time(const RecordBatch& batch, std::vector<RowError>& errors) const {
  std::vector<ColumnPtr> columns = batch.columns();
  if (options_.expression) {
    const EvaluationContext context{.now = clock_.now()};
    columns.push_back(options_.expression->evaluate(batch, nullptr, context, errors));
  }
  return std::make_shared<const RecordBatch>(rows_, std::move(columns), batch.rows());
}

void EventTimeStage::check_times(const Column& times, std::vector<RowError>& errors) const {
  std::vector<bool> failed(errors.empty() ? 0
                                          : static_cast<std::size_t>(times.size()));  // rows that have their error already
  for (const RowError& e : errors) failed[static_cast<std::size_t>(e.row)] = true;
  const auto is_good = [&](std::int32_t row) { return failed.empty() || !failed[static_cast<std::size_t>(row)]; };
  if (times.null_count())
    for (std::int32_t row = 0; row < times.size(); ++row)
      if (!times.valid(row) && is_good(row)) errors.push_back({row, "the event time is null"});
  const std::int64_t* values = times.values<std::int64_t>();
  std::int64_t limit = INT64_MAX;
  if (options_.max_ahead && __builtin_add_overflow(clock_.now().micros, options_.max_ahead->micros, &limit))
    limit = INT64_MAX;
  std::int64_t most = limit;
  for (std::int64_t i = 0; limit != INT64_MAX && i < times.size(); ++i) most = std::max(most, values[i]);
  for (std::int32_t row = 0; most > limit && row < times.size(); ++row)
    if (times.valid(row) && values[row] > limit && is_good(row))
      errors.push_back({row, fmt::format("the event time is more than {} ahead of the clock (max_ahead): {}",
                                         format_duration(*options_.max_ahead), format_iso({values[row]}))});
  sort_errors(errors);
}

void EventTimeStage::caught_up(const SplitState& split) {
  const int number = number_of(split);
  if (number < 0) return;
  splits_[static_cast<std::size_t>(number)].looked_into = true;
  if (!options_.idle_after) return;
  auto& at = splits_[static_cast<std::size_t>(number)].caught_up_at;
  if (at) return;
  at = clock_.steady();
  const Duration due = *at + *options_.idle_after;
  if (!idle_due_ || due < *idle_due_) idle_due_ = due;
}

std::optional<Timestamp> EventTimeStage::position() const {
  std::optional<Timestamp> least;
  for (int i = 0; i < static_cast<int>(splits_.size()); ++i) {
    const bool nothing_yet = !generator_.largest(i) && splits_[static_cast<std::size_t>(i)].looked_into;
    if (generator_.is_idle(i) || nothing_yet) continue;
    const Timestamp w = generator_.watermark_of_split(i);
    if (!least || w < *least) least = w;
  }
  return least;
}

std::optional<Timestamp> EventTimeStage::ended(const SplitState& split) {
  const int number = number_of(split);
  return number < 0 ? std::nullopt : generator_.set_ended(number);
}

std::optional<Timestamp> EventTimeStage::check_idle(const std::function<bool(const SplitState& split)>& is_caught_up) {
  const Duration now = clock_.steady();
  if (!idle_due_ || now < *idle_due_) return std::nullopt;
  idle_due_.reset();
  std::optional<Timestamp> moved;
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    const auto& at = splits_[i].caught_up_at;
    if (!at || generator_.is_idle(static_cast<int>(i))) continue;
    Duration due = *at + *options_.idle_after;
    if (due <= now && is_caught_up({.topic = splits_[i].topic, .partition = splits_[i].partition})) {
      if (const auto w = generator_.set_idle(static_cast<int>(i))) moved = w;
      continue;
    }
    due = std::max(due, now + kLookAgain);  // has rows that the task has not come to
    if (!idle_due_ || due < *idle_due_) idle_due_ = due;
  }
  return moved;
}

}  // namespace weir
