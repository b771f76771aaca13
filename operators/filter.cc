#include "operators/bound_step.h"
#include "operators/operators.h"
#include "runtime/api/evaluation.h"

namespace weir {
namespace {

struct FilterPlan {
  std::string step;
  SchemaPtr schema;
  ExpressionPtr condition;
  OnError on_error;
};

/// Hands on the rows for which the condition is true: not those for which it is false or null.
class Filter final : public Operator {
 public:
  explicit Filter(std::shared_ptr<const FilterPlan> plan) : plan_(std::move(plan)) {}

  void open(const TaskContext& task) override {
    evaluation_.open(task);
    counters_ = task.counters;
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    rows_.clear();
    errors_.clear();
    plan_->condition->filter(*batch, nullptr, evaluation_.next(batch->rows()), rows_, errors_);
    handle_row_errors(plan_->on_error, plan_->step, *batch, errors_, kErrors, *counters_, out);
    if (static_cast<std::int64_t>(rows_.size()) == batch->rows()) {
      out.emit(kRows, std::move(batch));
    } else if (!rows_.empty()) {
      out.emit(kRows, take(*batch, rows_));
    }
    return Progress::kDone;
  }

 private:
  static constexpr int kRows = 0, kErrors = 1;

  std::shared_ptr<const FilterPlan> plan_;
  Evaluation evaluation_;
  TaskCounters* counters_ = nullptr;
  std::vector<std::int32_t> rows_;  ///< kept from batch to batch for its memory
  std::vector<RowError> errors_;
};

std::unique_ptr<BoundStep> bind(const Component& component, const std::vector<BoundInput>& inputs, BindContext& context) {
  const SchemaPtr schema = inputs.front().schema;
  // Whatever the condition is, the rows are those of the input: a wrong one, which is reported, hides nothing behind the
  // step.
  const Text text = component.config.expression("filter");
  ExpressionPtr condition = bind_expression(text, *schema, Type::boolean(), "filter", context.diagnostics);
  check_condition(condition, text.location, *schema, context.diagnostics);
  const OnError on_error = read_on_error(component.config);
  auto plan = std::make_shared<const FilterPlan>(FilterPlan{component.name, schema, std::move(condition), on_error});
  return bound_step(with_errors_port({{"", schema}}, on_error), [plan] { return std::make_unique<Filter>(plan); });
}

}  // namespace

void add_filter(Components& components) {
  components.add_step({.kind = ComponentKind::kStep,
                       .name = "filter",
                       .summary = "Hands on the rows for which a condition is true.",
                       .caveats = {"A row for which the condition is null is left out, as in SQL's WHERE.",
                                   "The condition of a changelog depends on columns alone, not on now() or random(): what "
                                   "was let through must be taken back.",
                                   "A row for which the condition fails (division by zero, …) follows on_error."},
                       .fields = {field::expression("filter")
                                      .required()
                                      .doc("A boolean SQL expression over the columns of the input.")
                                      .example("\"price > 100 and currency is not null\"")},
                       .examples = {"from: bids\nfilter: \"price > 100 and currency is not null\""}},
                      bind);
}

}  // namespace weir
