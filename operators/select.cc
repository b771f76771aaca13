#include "operators/bound_step.h"
#include "operators/operators.h"
#include "operators/projection.h"
#include "runtime/api/evaluation.h"

namespace weir {
namespace {

struct SelectPlan {
  std::string step;
  SchemaPtr input;
  Projection projection;
  OnError on_error;
};

/// Hands on every row with other columns. Columns that are only carried are shared, not copied.
class Select final : public Operator {
 public:
  explicit Select(std::shared_ptr<const SelectPlan> plan) : plan_(std::move(plan)) {}

  void open(const TaskContext& task) override {
    evaluation_.open(task);
    counters_ = task.counters;
    for (const ProjectedColumn& column : plan_->projection.columns)
      seeds_.push_back(mix_seed(evaluation_.seed(), column.field.name));
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    errors_.clear();
    std::vector<ColumnPtr> columns = evaluate(*batch);
    const std::span<const RowKind> kinds = batch->kinds();
    auto result = std::make_shared<const RecordBatch>(plan_->projection.schema, std::move(columns), batch->rows(),
                                                      std::vector<RowKind>(kinds.begin(), kinds.end()));
    if (!errors_.empty()) result = without_errors(*batch, *result, out);
    out.emit(kRows, std::move(result));
    return Progress::kDone;
  }

 private:
  static constexpr int kRows = 0, kErrors = 1;

  std::vector<ColumnPtr> evaluate(const RecordBatch& batch) {
    EvaluationContext context = evaluation_.next(batch.rows());
    std::vector<ColumnPtr> columns;
    columns.reserve(seeds_.size());
    for (std::size_t i = 0; i < seeds_.size(); ++i) {
      const ProjectedColumn& column = plan_->projection.columns[i];
      context.random_seed = seeds_[i];
      columns.push_back(column.carried ? batch.columns()[static_cast<std::size_t>(*column.carried)]
                                       : column.expression->evaluate(batch, nullptr, context, errors_));
    }
    return columns;
  }

  /// Lets the failed rows go their way and returns the others.
  BatchPtr without_errors(const RecordBatch& batch, const RecordBatch& result, Output& out) {
    sort_errors(errors_);
    handle_row_errors(plan_->on_error, plan_->step, batch, errors_, kErrors, *counters_, out);
    return take(result, rows_without(errors_, batch.rows()));
  }

  std::shared_ptr<const SelectPlan> plan_;
  Evaluation evaluation_;
  std::vector<std::uint64_t> seeds_;  ///< for random(), one for each column
  TaskCounters* counters_ = nullptr;
  std::vector<RowError> errors_;
};

std::unique_ptr<BoundStep> bind(const Component& component, const std::vector<BoundInput>& inputs, BindContext& context) {
  const SchemaPtr input = inputs.front().schema;
  const Config& config = component.config;
  auto projection = bind_projection(config.selection("select"), config.location("select"), *input, context.diagnostics);
  if (!projection) return nullptr;
  const OnError on_error = read_on_error(config);
  std::vector<Port> ports = with_errors_port({{"", projection->schema}}, on_error);
  auto plan = std::make_shared<const SelectPlan>(SelectPlan{component.name, input, std::move(*projection), on_error});
  return bound_step(std::move(ports), [plan] { return std::make_unique<Select>(plan); });
}

}  // namespace

void add_select(Components& components) {
  components.add_step(
      {.kind = ComponentKind::kStep,
       .name = "select",
       .summary = "Makes rows with other columns: carried, renamed or computed, in the order they are written.",
       .caveats = {"\"*\": true stands for all columns of the input, \"*\": {except: [note]} for all but some. A name "
                   "that is there already replaces that column in place.",
                   "The event time follows its column when it is carried or renamed. A select that replaces or "
                   "leaves out the column makes a step without event time.",
                   "Columns of a changelog depend on columns alone, not on now() or random(): what retracts a row must be "
                   "equal to it.",
                   "A row for which an expression fails follows on_error."},
       .fields = {field::selection("select")
                      .required()
                      .doc("Names of columns and their SQL expressions. `null` alone is SQL's null, of type varchar; "
                           "null::double has another type.")
                      .example("{ \"*\": true, total: \"price * quantity\" }")},
       .examples = {"from: orders\nselect: { \"*\": { except: [note] }, total: \"price * quantity\" }"}},
      bind);
}

}  // namespace weir
