#include "tests/support/played_dataflow.h"

#include "tests/support/batches.h"

namespace weir {

void Journal::add(Entry entry) {
  std::lock_guard lock(mutex_);
  entries_.push_back(std::move(entry));
  changed_.notify_all();
}

bool Journal::wait(const std::function<bool(const std::vector<Entry>&)>& holds, std::chrono::seconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return holds(entries_); });
}

bool Journal::wait(const std::string& step, const std::string& what, std::size_t count) {
  std::size_t seen = 0, found = 0;
  return wait([&](const std::vector<Entry>& entries) {
    for (; seen < entries.size(); ++seen) found += entries[seen].step == step && entries[seen].what == what;
    return found >= count;
  });
}

std::vector<Journal::Entry> Journal::entries() const {
  std::lock_guard lock(mutex_);
  return entries_;
}

std::vector<std::string> Journal::of(const std::string& step, int task) const {
  std::vector<std::string> all;
  for (const Entry& e : entries()) {
    if (e.step != step || e.task != task) continue;
    all.push_back(e.what == "row"   ? fmt::format("row {}:{}", e.split, e.number)
                  : e.what == "end" ? e.what
                                    : fmt::format("{} {}", e.what, e.number));
  }
  return all;
}

SchemaPtr PlayedSource::rows_schema() {
  static const SchemaPtr schema = schema_of("split int, n bigint");
  return schema;
}

void PlayedSource::add_errors_port() { ports_.push_back({"errors", error_schema()}); }

void PlayedSource::allow(std::int64_t n) const {
  control_->allowed = n;
  std::lock_guard lock(control_->mutex);
  for (const Waker& w : control_->wakers) w();
}

class PlayedSource::Reader final : public SourceReader {
 public:
  explicit Reader(const PlayedSource& source) : source_(source), control_(source.control_) {}

  void open(const TaskContext& context) override {
    task_ = context.index;
    std::lock_guard lock(control_->mutex);
    control_->wakers.push_back(context.waker);
  }
  void add_splits(std::vector<SplitState> splits) override { splits_.insert(splits_.end(), splits.begin(), splits.end()); }
  void no_more_splits() override { no_more_ = true; }
  InputStatus poll_next(SourceOutput& out) override {
    ++control_->polls;
    bool open = !no_more_;
    for (std::size_t tried = 0; tried < splits_.size(); ++tried) {
      SplitState& s = splits_[turn_++ % splits_.size()];
      if (!s.ended && !out.wants(s)) {
        open = true;
        continue;
      }
      const std::int64_t to = std::min({control_->allowed.load(), s.end.value_or(INT64_MAX), s.next + source_.batch_rows_});
      if (to > s.next) return emit(s, to, out), InputStatus::kMoreAvailable;
      s.ended = s.end && s.next >= *s.end;
      out.caught_up(s);
      open |= !s.ended;
    }
    return open ? InputStatus::kNothingAvailable : InputStatus::kEndOfInput;
  }
  std::vector<SplitState> splits() const override { return splits_; }
  bool is_caught_up(const SplitState& split) const override {
    const auto s = std::find_if(splits_.begin(), splits_.end(), [&](const SplitState& o) { return o.same_split(split); });
    return s == splits_.end() || s->next >= std::min(control_->allowed.load(), s->end.value_or(INT64_MAX));
  }
  void on_committed(Epoch epoch, const std::vector<SplitState>& splits) override {
    if (source_.journal_)
      source_.journal_->add(
          {source_.name_, task_, "committed", static_cast<std::int64_t>(epoch.value), splits.empty() ? 0 : splits[0].next});
  }

 private:
  void emit(SplitState& s, std::int64_t to, SourceOutput& out) {
    if (source_.before_row) source_.before_row(s);
    std::vector<std::string> rows;
    for (; s.next < to; ++s.next) rows.push_back(fmt::format("{}|{}", s.partition, s.next));
    control_->emitted += static_cast<std::int64_t>(rows.size());
    out.emit(s, batch_of(rows_schema(), rows));
  }

  const PlayedSource& source_;
  const std::shared_ptr<Control> control_;
  int task_ = 0;
  std::vector<SplitState> splits_;
  std::size_t turn_ = 0;
  bool no_more_ = false;
};

class PlayedSource::Enumerator final : public SplitEnumerator {
 public:
  explicit Enumerator(std::vector<SplitState> splits) : splits_(std::move(splits)) {}
  std::vector<SplitState> discover(const std::vector<SplitState>& known) override {
    std::vector<SplitState> found;
    for (const SplitState& s : splits_)
      if (std::none_of(known.begin(), known.end(), [&](const SplitState& k) { return k.same_split(s); })) found.push_back(s);
    return found;
  }

 private:
  const std::vector<SplitState> splits_;
};

std::unique_ptr<SplitEnumerator> PlayedSource::create_enumerator(AttemptContext&) const {
  return std::make_unique<Enumerator>(splits);
}

std::unique_ptr<SourceReader> PlayedSource::create_reader(AttemptContext&) const { return std::make_unique<Reader>(*this); }

class PlayedStep::Played final : public Operator {
 public:
  explicit Played(const PlayedStep& step) : step_(step) {}

  void open(const TaskContext& context) override {
    task_ = context.index, waker_ = context.waker;
    batches_ = &context.counters->own["batches"];
  }
  Progress process(int, BatchPtr batch, Output& out) override {
    const auto splits = batch->column(0).values<std::int32_t>();
    const auto numbers = batch->column(1).values<std::int64_t>();
    batches_->add(1);
    for (std::int64_t i = 0; i < batch->rows(); ++i) step_.journal_.add({step_.name_, task_, "row", numbers[i], splits[i]});
    for (std::size_t p = 0; p < step_.ports_.size(); ++p) out.emit(static_cast<int>(p), batch);
    return answer("row", numbers[0]);
  }
  Progress on_watermark(Timestamp w, Output&) override { return tell("watermark", w.micros); }
  Progress on_barrier(Epoch epoch, Output&) override { return tell("barrier", static_cast<std::int64_t>(epoch.value)); }
  Progress on_end(Output&) override { return tell("end", 0); }
  Progress resume(Output&) override { return answer("resume", 0); }
  void on_committed(Epoch epoch) override { tell("committed", static_cast<std::int64_t>(epoch.value)); }

 private:
  Progress tell(const std::string& what, std::int64_t number) {
    step_.journal_.add({step_.name_, task_, what, number});
    return answer(what, number);
  }
  Progress answer(const std::string& what, std::int64_t number) {
    return step_.answer ? step_.answer({what, task_, number, waker_}) : Progress::kDone;
  }
  const PlayedStep& step_;
  int task_ = 0;
  Waker waker_;
  Counter* batches_ = nullptr;
};

std::unique_ptr<Operator> PlayedStep::create(AttemptContext&) const { return std::make_unique<Played>(*this); }

}  // namespace weir
