#include "operators/keyed_step.h"

#include "operators/resumable.h"

namespace weir {
namespace {

/// Does around a step's operator what its tables need.
class KeyedOperator final : public Operator {
 public:
  explicit KeyedOperator(const KeyedStep& step) : state_(step.tables, step.by.front().size()), inner_(step.make(state_)) {}

  void open(const TaskContext& task) override {
    state_.open(task);
    inner_->open(task);
  }
  Progress process(int input, BatchPtr batch, Output& out) override {
    return then_make_room(inner_->process(input, std::move(batch), out), out);
  }
  Progress on_watermark(Timestamp w, Output& out) override {
    return call_.after(inner_->on_watermark(w, out), out, resume_inner());
  }
  Timestamp output_watermark(Timestamp w) const override { return inner_->output_watermark(w); }
  Progress on_input_end(int input, Output& out) override { return then_make_room(inner_->on_input_end(input, out), out); }
  Progress on_wake(Output& out) override { return then_make_room(inner_->on_wake(out), out); }
  bool wants(int input) const override { return inner_->wants(input); }
  /// One delta at a time: the final one waits for that in flight.
  Progress on_end(Output& out) override {
    return call_.after(inner_->on_end(out), out, resume_inner(), [this](Output&) { return state_.wait_for_commit(); });
  }
  Progress on_barrier(Epoch epoch, Output& out) override {
    state_.on_barrier(epoch);
    return call_.after(inner_->on_barrier(epoch, out), out, resume_inner());
  }
  Progress resume(Output& out) override { return call_.resume(out); }
  void snapshot(TaskSnapshot& snapshot) override {
    inner_->snapshot(snapshot);
    state_.snapshot(snapshot);
  }
  void on_committed(Epoch epoch) override {
    state_.on_committed(epoch);
    inner_->on_committed(epoch);
  }

 private:
  Resumable::Part resume_inner() {
    return [this](Output& out) { return inner_->resume(out); };
  }
  Progress then_make_room(Progress first, Output& out) {
    return call_.after(first, out, resume_inner(), [this](Output&) { return state_.make_room(); });
  }

  KeyedState state_;
  std::unique_ptr<Operator> inner_;
  Resumable call_;
};

class BoundKeyedStep final : public BoundStep {
 public:
  explicit BoundKeyedStep(KeyedStep step) : step_(std::move(step)) {
    for (TableDeclaration& table : step_.tables) {
      std::vector<Field> key = step_.by.front().fields();
      key.insert(key.end(), table.key.begin(), table.key.end());
      table.key = std::move(key);
      if (!table.orders.empty()) table.orders.insert(table.orders.begin(), step_.by.front().size(), SortOrder());
    }
  }

  const std::vector<Port>& ports() const override { return step_.ports; }
  Exchange exchange(int input) const override { return step_.by.at(static_cast<std::size_t>(input)).exchange(); }
  std::vector<TableDeclaration> tables() const override { return step_.tables; }
  std::vector<Duration> window_grains() const override { return step_.window_grains; }
  std::unique_ptr<Operator> create(AttemptContext&) const override { return std::make_unique<KeyedOperator>(step_); }

 private:
  KeyedStep step_;
};

}  // namespace

std::unique_ptr<BoundStep> keyed_step(KeyedStep step) { return std::make_unique<BoundKeyedStep>(std::move(step)); }

}  // namespace weir
