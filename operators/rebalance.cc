#include "operators/bound_step.h"
#include "operators/operators.h"
#include "runtime/api/united_inputs.h"

namespace weir {
namespace {

/// Hands on every row. What spreads them over the tasks is the exchange in front of it.
class Rebalance final : public Operator {
 public:
  explicit Rebalance(SchemaPtr schema) : schema_(std::move(schema)) {}

  Progress process(int, BatchPtr batch, Output& out) override {
    out.emit(0, conform(std::move(batch), schema_));
    return Progress::kDone;
  }

 private:
  SchemaPtr schema_;
};

std::unique_ptr<BoundStep> bind(const Component& component, const std::vector<BoundInput>& inputs, BindContext& context) {
  const SchemaPtr schema = unite(inputs, context.diagnostics);
  if (!schema) return nullptr;
  return bound_step(with_errors_port({{"", schema}}, read_on_error(component.config)),
                    [schema] { return std::make_unique<Rebalance>(schema); }, {Exchange::Kind::kRebalance});
}

}  // namespace

void add_rebalance(Components& components) {
  components.add_step({.kind = ComponentKind::kStep,
                       .name = "rebalance",
                       .summary = "Spreads the rows evenly over all tasks, batch by batch.",
                       .caveats = {"Gives up the order of the rows of one key or partition."},
                       .fields = {field::object("rebalance", {}).required().doc("Has no keys.")},
                       .examples = {"from: bids\nrebalance: {}"},
                       .takes_many_inputs = true},
                      bind);
}

}  // namespace weir
