#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "connectors/generator/generator_plan.h"
#include "connectors/generator/pace.h"
#include "runtime/api/batch_size.h"
#include "runtime/api/source.h"

namespace weir {

/// Makes the rows of the generator's split, a batch at a time, as they are due.
class GeneratorReader final : public SourceReader {
 public:
  explicit GeneratorReader(std::shared_ptr<const GeneratorPlan> plan) : plan_(std::move(plan)), pace_(plan_->rate) {}

  void open(const TaskContext& task) override { task_ = task, batch_size_.emplace(*task.attempt); }
  void add_splits(std::vector<SplitState> splits) override;
  void no_more_splits() override { no_more_splits_ = true; }
  InputStatus poll_next(SourceOutput& out) override;
  std::vector<SplitState> splits() const override { return splits_; }

 private:
  void emit_rows(SplitState& split, std::int64_t count, SourceOutput& out);
  void handle_errors(const std::vector<RowError>& errors, std::int64_t first, SourceOutput& out);

  std::shared_ptr<const GeneratorPlan> plan_;
  Pace pace_;
  TaskContext task_;
  std::optional<BatchSize> batch_size_;
  std::vector<SplitState> splits_;
  bool no_more_splits_ = false;
};

}  // namespace weir
