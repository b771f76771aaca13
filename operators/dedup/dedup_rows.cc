#include "operators/dedup/kept_rows.h"

namespace weir {
namespace {

/// What both ways of keeping share: keys and late rows.
class DedupInput {
 public:
  DedupInput(std::shared_ptr<const DedupPlan> plan, KeyedState& state)
      : plan_(std::move(plan)), remembered_(*plan_, state) {}

  void open(const TaskContext& task) { counters_ = task.counters; }

  /// Hands on late rows and those without a time; keys and times are those of what is returned, which may be empty.
  BatchPtr take_batch(BatchPtr batch, Output& out) {
    if (plan_->within) batch = in_time(std::move(batch), out);
    std::vector<RowError> none;  // they are columns
    keys_.encode(plan_->by.evaluate(*batch, {}, none), batch->rows());
    return batch;
  }

  std::string_view key(std::int64_t row) const { return keys_[row]; }
  std::uint64_t hash(std::int64_t row) const { return keys_.hash(row); }
  void look_ahead(std::int64_t row) { remembered_.look_ahead(keys_.hashes(), row); }
  /// 0 without within.
  std::int64_t time(const RecordBatch& batch, std::int64_t row) const {
    return plan_->within ? batch.column(plan_->time).values<std::int64_t>()[row] : 0;
  }
  const DedupPlan& plan() const { return *plan_; }
  RememberedRows& remembered() { return remembered_; }

 private:
  BatchPtr in_time(BatchPtr batch, Output& out) {
    const Column& times = batch->column(plan_->time);
    std::vector<std::int32_t> late, good;
    std::vector<RowError> errors;
    for (std::int32_t row = 0; row < batch->rows(); ++row) {
      if (!times.valid(row)) errors.push_back(RowError{row, std::string("the event time is null")});
      else (times.values<std::int64_t>()[row] <= remembered_.watermark() ? late : good).push_back(row);
    }
    handle_row_errors(plan_->on_error, plan_->step, *batch, errors, 2, *counters_, out);
    counters_->late.add(late.size());
    if (!late.empty()) out.emit(kDedupLatePort, take(*batch, late));
    return static_cast<std::int64_t>(good.size()) == batch->rows() ? batch : take(*batch, good);
  }

  const std::shared_ptr<const DedupPlan> plan_;
  RememberedRows remembered_;
  TaskCounters* counters_ = nullptr;
  BatchKeys keys_;
};

/// Hands on the first row of each key.
class DedupFirst final : public Operator {
 public:
  DedupFirst(std::shared_ptr<const DedupPlan> plan, KeyedState& state) : input_(std::move(plan), state) {}

  void open(const TaskContext& task) override {
    input_.open(task);
    duplicates_ = &task.counters->own["duplicates"];
  }
  Progress on_watermark(Timestamp w, Output&) override { return input_.remembered().on_watermark(w), Progress::kDone; }
  Progress process(int, BatchPtr batch, Output& out) override {
    batch = input_.take_batch(std::move(batch), out);
    RememberedRows& remembered = input_.remembered();
    std::vector<std::int32_t> fresh;
    for (std::int32_t row = 0; row < batch->rows(); ++row) {
      input_.look_ahead(row);
      const std::int64_t time = input_.time(*batch, row);
      if (remembered.any(input_.key(row), input_.hash(row), time)) continue;
      remembered.keep(input_.key(row), input_.hash(row), time);
      fresh.push_back(row);
    }
    duplicates_->add(static_cast<std::uint64_t>(batch->rows()) - fresh.size());
    if (!fresh.empty())
      out.emit(kKeptPort, static_cast<std::int64_t>(fresh.size()) == batch->rows() ? batch : take(*batch, fresh));
    return Progress::kDone;
  }

 private:
  DedupInput input_;
  Counter* duplicates_ = nullptr;  ///< rows that are not handed on
};

/// Hands on every row, in the place of the key's row before it.
class DedupLast final : public Operator {
 public:
  DedupLast(std::shared_ptr<const DedupPlan> plan, KeyedState& state) : input_(std::move(plan), state) {
    for (const Field& f : input_.plan().output->fields()) columns_.emplace_back(f.type);
  }

  void open(const TaskContext& task) override { input_.open(task); }
  Progress on_watermark(Timestamp w, Output&) override { return input_.remembered().on_watermark(w), Progress::kDone; }

  Progress process(int, BatchPtr batch, Output& out) override {
    batch = input_.take_batch(std::move(batch), out);
    for (std::int64_t row = 0; row < batch->rows(); ++row) replace(*batch, row);
    if (!kinds_.empty()) emit(out);
    return Progress::kDone;
  }

 private:
  void replace(const RecordBatch& batch, std::int64_t row) {
    RememberedRows& remembered = input_.remembered();
    input_.look_ahead(row);
    const std::int64_t time = input_.time(batch, row);
    before_.clear();
    remembered.each(input_.key(row), input_.hash(row), time, [&](const KeptRow& kept) { before_.push_back(kept); });
    std::stable_sort(before_.begin(), before_.end(), [](const KeptRow& a, const KeptRow& b) { return a.time < b.time; });
    for (std::size_t i = 0; i < before_.size(); ++i) {
      decode_row(before_[i].bytes, columns_);
      kinds_.push_back(i + 1 < before_.size() ? RowKind::kDelete : RowKind::kUpdateBefore);
    }
    if (input_.plan().within && !before_.empty()) remembered.forget(input_.key(row), input_.hash(row), time);
    KeptRow& kept = remembered.keep(input_.key(row), input_.hash(row), time);
    bytes_.clear();
    encode_row(batch.columns(), row, bytes_);
    kept.bytes = bytes_;  // a copy takes no more memory than it needs
    for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].append_from(*batch.columns()[c], row);
    kinds_.push_back(before_.empty() ? RowKind::kInsert : RowKind::kUpdateAfter);
  }

  void emit(Output& out) {
    std::vector<ColumnPtr> columns;
    for (ColumnBuilder& b : columns_) columns.push_back(b.finish());
    const auto rows = static_cast<std::int64_t>(kinds_.size());
    out.emit(kKeptPort,
             std::make_shared<const RecordBatch>(input_.plan().output, std::move(columns), rows, std::exchange(kinds_, {})));
  }

  DedupInput input_;
  std::vector<ColumnBuilder> columns_;
  std::vector<RowKind> kinds_;
  std::vector<KeptRow> before_;
  std::string bytes_;
};

}  // namespace

std::unique_ptr<Operator> make_dedup(std::shared_ptr<const DedupPlan> plan, KeyedState& state) {
  if (plan->last) return std::make_unique<DedupLast>(std::move(plan), state);
  return std::make_unique<DedupFirst>(std::move(plan), state);
}

}  // namespace weir
