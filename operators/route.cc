#include <numeric>

#include "operators/bound_step.h"
#include "operators/operators.h"
#include "runtime/api/evaluation.h"

namespace weir {
namespace {

struct RoutePlan {
  std::string step;
  SchemaPtr schema;
  std::vector<ExpressionPtr> conditions{};  ///< condition i belongs to port i, the port behind them is `rest`
  std::vector<std::string> outputs{};       ///< the names of those ports
  OnError on_error = OnError::kFail;
};

/// Hands each row to the first output whose condition is true for it, else to `rest`.
class Route final : public Operator {
 public:
  explicit Route(std::shared_ptr<const RoutePlan> plan) : plan_(std::move(plan)) {}

  void open(const TaskContext& task) override {
    evaluation_.open(task);
    counters_ = task.counters;
    for (const std::string& output : plan_->outputs) seeds_.push_back(mix_seed(evaluation_.seed(), output));
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    EvaluationContext context = evaluation_.next(batch->rows());
    errors_.clear();
    undecided_.resize(static_cast<std::size_t>(batch->rows()));
    std::iota(undecided_.begin(), undecided_.end(), 0);
    int port = 0;
    for (const ExpressionPtr& condition : plan_->conditions) {
      context.random_seed = seeds_[static_cast<std::size_t>(port)];
      decide(*condition, port++, batch, context, out);
    }
    emit(port++, batch, undecided_, out);
    sort_errors(errors_);
    handle_row_errors(plan_->on_error, plan_->step, *batch, errors_, port, *counters_, out);
    return Progress::kDone;
  }

 private:
  /// Hands the undecided rows for which the condition is true to `port`; these and the failed ones are decided then.
  void decide(const Expression& condition, int port, const BatchPtr& batch, const EvaluationContext& context, Output& out) {
    if (undecided_.empty()) return;
    rows_.clear();
    const std::size_t failed_before = errors_.size();
    condition.filter(*batch, &undecided_, context, rows_, errors_);
    emit(port, batch, rows_, out);
    auto taken = rows_.begin();
    auto failed = errors_.begin() + static_cast<std::ptrdiff_t>(failed_before);
    std::erase_if(undecided_, [&](std::int32_t row) {
      while (taken != rows_.end() && *taken < row) ++taken;
      while (failed != errors_.end() && failed->row < row) ++failed;
      return (taken != rows_.end() && *taken == row) || (failed != errors_.end() && failed->row == row);
    });
  }

  static void emit(int port, const BatchPtr& batch, const std::vector<std::int32_t>& rows, Output& out) {
    if (rows.empty()) return;
    out.emit(port, static_cast<std::int64_t>(rows.size()) == batch->rows() ? batch : take(*batch, rows));
  }

  std::shared_ptr<const RoutePlan> plan_;
  Evaluation evaluation_;
  std::vector<std::uint64_t> seeds_;  ///< for random(), one for each condition
  TaskCounters* counters_ = nullptr;
  std::vector<std::int32_t> undecided_, rows_;  ///< ascending
  std::vector<RowError> errors_;
};

std::unique_ptr<BoundStep> bind(const Component& component, const std::vector<BoundInput>& inputs, BindContext& context) {
  const SchemaPtr schema = inputs.front().schema;
  RoutePlan plan{.step = component.name, .schema = schema, .on_error = read_on_error(component.config)};
  std::vector<Port>
      ports;  // the same whatever the conditions are: wrong ones, which are reported, hide nothing behind the step
  for (const NamedText& output : component.config.entries("route")) {
    ExpressionPtr condition = bind_expression(Text{output.text, output.location}, *schema, Type::boolean(),
                                              fmt::format("the condition of output '{}'", output.name), context.diagnostics);
    check_condition(condition, output.location, *schema, context.diagnostics);
    plan.conditions.push_back(std::move(condition));
    plan.outputs.push_back(output.name);
    ports.push_back({output.name, schema});
  }
  ports.push_back({"rest", schema});
  ports = with_errors_port(std::move(ports), plan.on_error);
  auto shared = std::make_shared<const RoutePlan>(std::move(plan));
  return bound_step(std::move(ports), [shared] { return std::make_unique<Route>(shared); });
}

}  // namespace

void add_route(Components& components) {
  components.add_step(
      {.kind = ComponentKind::kStep,
       .name = "route",
       .summary = "Splits a stream: each row goes to the first output whose condition is true for it.",
       .caveats =
           {"Outputs are read as NAME.OUTPUT. Rows for which no condition is true go to NAME.rest; rows of an output that "
            "nothing reads are dropped.",
            "Conditions are tried in the order they are written; what lies behind the first true one is not evaluated."},
       .fields = {field::expressions("route")
                      .required()
                      .names_outputs()
                      .doc("Names of outputs and their conditions.")
                      .example("{ big: \"total > 1000\", small: \"total <= 1000\" }")},
       .examples = {"from: orders\nroute: { big: \"total > 1000\", small: \"total <= 1000\" }"}},
      bind);
}

}  // namespace weir
