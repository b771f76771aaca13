#include "runtime/exec/inputs.h"

namespace weir {

namespace {

/// Bad rows found behind the reader go where the reader's own go.
class ErrorsOutput final : public Output {
 public:
  explicit ErrorsOutput(const Ports& ports) : ports_(ports) {}
  void emit(int port, BatchPtr batch) override { ports_.emit(port, batch); }
  bool full() const override { return ports_.blocked(); }

 private:
  const Ports& ports_;
};

}  // namespace

InputStatus GateInput::poll_next() {
  InputGate::Merged merged;
  const InputStatus status = gate_.poll_next(merged);
  if (status == InputStatus::kMoreAvailable && std::holds_alternative<Barrier>(merged.element)) before_barrier_();
  if (status == InputStatus::kMoreAvailable) first_.offer(std::move(merged.element), merged.input);
  if (status == InputStatus::kEndOfInput) first_.offer(End{}, 0);
  return status;
}

SourceInput::SourceInput(const Vertex& source, AttemptContext& attempt, TaskCounters& counters, ChainListener& listener)
    : reader_(source.source->create_reader(attempt)),
      ports_(source.ports().size()),
      counters_(counters),
      listener_(listener),
      attempt_(attempt) {
  if (source.event_time) event_time_.emplace(*source.event_time, source.ports()[0].schema, source.name, *attempt.clock);
}

void SourceInput::open(const TaskContext& context) {
  wake_after_ = context.wake_after;
  reader_->open(context);
}

void SourceInput::add_splits(std::vector<SplitState> splits) {
  if (event_time_)
    for (const SplitState& s : splits) event_time_->add_split(s);
  idle_sent_ = false;
  reader_->add_splits(std::move(splits));
  seen_ = reader_->splits();
  tell_position();  // restored ones may stand too far ahead
}

InputStatus SourceInput::poll_next() {
  if (stopped_ || attempt_.rows_left.load(std::memory_order_relaxed) <= 0) return InputStatus::kNothingAvailable;
  if (aligned_.empty()) return poll_reader();
  if (position_ && must_wait(*position_)) return InputStatus::kNothingAvailable;  // all its splits are too far ahead
  limit_.reset();
  for (const Aligned& a : aligned_)
    if (const auto limit = a.alignment->limit(); limit && (!limit_ || *limit < *limit_)) limit_ = limit;
  held_.reset();
  const InputStatus status = poll_reader();
  tell_position();
  if (status == InputStatus::kNothingAvailable && held_ && !must_wait(*held_)) return InputStatus::kMoreAvailable;
  return status;
}

bool SourceInput::must_wait(Timestamp position) const {
  bool wait = false;
  for (const Aligned& a : aligned_) wait |= a.alignment->wait(a.member, position);
  return wait;
}

bool SourceInput::wants(const SplitState& split) {
  if (!limit_) return true;
  const Timestamp position = event_time_->watermark_of(split);
  if (position <= *limit_) return true;
  held_ = std::min(held_.value_or(position), position);
  return false;
}

void SourceInput::tell_position() {
  if (aligned_.empty()) return;
  position_ = ended_ ? std::nullopt : event_time_->position();
  for (const Aligned& a : aligned_) a.alignment->set(a.member, position_);
}

InputStatus SourceInput::poll_reader() {
  const InputStatus status = reader_->poll_next(*this);
  if (status == InputStatus::kEndOfInput) {
    moves_.add(1);
    ended_ = true;
    fill(listener_.final_snapshot());
    if (event_time_) listener_.final_snapshot().watermark = Timestamp::infinity();
    listener_.passed_end();
    if (event_time_) ports_.broadcast(Watermark{Timestamp::infinity()});
    ports_.broadcast(End{});
    return status;
  }
  bool moved = std::exchange(emitted_, false);
  if (status == InputStatus::kMoreAvailable) moved = moved || moved_without_rows();
  if (event_time_ && check_idle()) moved = true;
  if (event_time_ && status == InputStatus::kNothingAvailable && event_time_->all_idle() &&
      !std::exchange(idle_sent_, true)) {
    moved = true;
    ports_.broadcast(Idle{});
  }
  if (moved) moves_.add(1);
  return status;
}

/// Lets splits become idle whose time has come, also while others have rows. True if that moved the watermark.
bool SourceInput::check_idle() {
  const auto due = event_time_->idle_due();
  if (!due || attempt_.clock->steady() < *due) return false;
  const auto w = event_time_->check_idle([this](const SplitState& split) { return reader_->is_caught_up(split); });
  set_alarm();
  if (w) ports_.broadcast(Watermark{*w});
  return w.has_value();
}

/// Wakes the task when a split may become idle; one alarm at a time, however often splits catch up.
void SourceInput::set_alarm() {
  const auto due = event_time_->idle_due();
  const Duration now = attempt_.clock->steady();
  if (!due || (alarm_at_ && now < *alarm_at_ && *alarm_at_ <= *due)) return;
  alarm_at_ = *due;
  wake_after_(*due - now);
}

/// Records that were skipped, markers of transactions; not: the end of a partition where nothing is new.
bool SourceInput::moved_without_rows() {
  std::vector<SplitState> now = reader_->splits();
  if (now == seen_) return false;
  seen_ = std::move(now);
  return true;
}

void SourceInput::fill(TaskSnapshot& snapshot) const {
  snapshot.splits = reader_->splits();
  const std::vector<std::optional<std::int64_t>> ends = reader_->known_ends();
  snapshot.statuses.reserve(snapshot.splits.size());
  for (std::size_t i = 0; i < snapshot.splits.size(); ++i) {
    SplitState& split = snapshot.splits[i];
    if (event_time_) split.largest_time = event_time_->largest_time(split);
    snapshot.statuses.push_back(
        {i < ends.size() ? ends[i] : split.end, event_time_ && !split.ended && event_time_->is_idle(split)});
  }
  if (!event_time_) return;
  if (const Timestamp w = event_time_->watermark(); w > Timestamp::none()) snapshot.watermark = w;
  snapshot.idle = event_time_->all_idle();
}

void SourceInput::trigger(Epoch epoch, bool last) {
  if (ended_) return;  // its final snapshot answers
  stopped_ |= last;
  seen_ = reader_->splits();
  TaskSnapshot& snapshot = listener_.barrier_snapshot();
  fill(snapshot);
  uncommitted_.emplace_back(epoch, snapshot.splits);
  listener_.passed_barrier(epoch);
  ports_.broadcast(Barrier{epoch});
}

void SourceInput::on_committed(Epoch epoch) {
  for (auto& [e, splits] : uncommitted_)
    if (e == epoch) reader_->on_committed(epoch, splits);
  std::erase_if(uncommitted_, [&](const auto& u) { return u.first <= epoch; });
  if (ended_) reader_->on_committed(epoch, reader_->splits());
}

void SourceInput::emit(const SplitState& split, BatchPtr batch) {
  if (!batch || batch->rows() == 0) return;
  emitted_ = true;
  counters_.rows_out.add(static_cast<std::uint64_t>(batch->rows()));
  const std::int64_t left = attempt_.rows_left.fetch_sub(batch->rows());
  if (left > 0 && left <= batch->rows() && attempt_.out_of_rows) attempt_.out_of_rows();
  if (!event_time_) return ports_.emit(0, batch);
  idle_sent_ = false;
  ErrorsOutput errors(ports_);
  const RecordOf record_of = [this](std::int64_t row) { return reader_->record_of(row); };
  event_time_->on_batch(split, batch, record_of, counters_, errors, [this](BatchPtr rows, std::optional<Timestamp> w) {
    if (rows) ports_.emit(0, rows);
    if (w) ports_.broadcast(Watermark{*w});
  });
}

void SourceInput::emit_errors(BatchPtr batch) {
  if (!batch || batch->rows() == 0) return;
  emitted_ = true;
  ports_.emit(1, batch);
}

void SourceInput::caught_up(const SplitState& split) {
  if (!event_time_) return;
  if (split.ended) {
    if (const auto w = event_time_->ended(split)) ports_.broadcast(Watermark{*w});
    return;
  }
  event_time_->caught_up(split);
  set_alarm();
}

std::optional<Timestamp> SourceInput::largest_time(const SplitState& split) const {
  return event_time_ ? event_time_->largest_time(split) : std::nullopt;
}

}  // namespace weir
