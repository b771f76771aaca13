#include "operators/bound_step.h"
#include "operators/operators.h"

namespace weir {
namespace {

/// Hands on every row. What spreads them over the tasks is the exchange in front of it.
class Rebalance final : public Operator {
 public:
  Progress process(int, BatchPtr batch, Output& out) override {
    out.emit(0, std::move(batch));
    return Progress::kDone;
  }
};

std::unique_ptr<BoundStep> bind(const Component& component, const std::vector<BoundInput>& inputs, BindContext& context) {
  const SchemaPtr schema = inputs.front().schema;
  // The ports are the same all the same, so that what reads the step is looked at.
  if (schema->changelog())
    context.diagnostics.error(
        component.config.location("rebalance"),
        "rows of this input change and go, and rebalance gives up the order of the changes of a row: a -U would overtake "
        "its +U",
        "rebalance the rows before they are aggregated; steps and sinks behind an aggregate are in all tasks already");
  return bound_step(with_errors_port({{"", schema}}, read_on_error(component.config)),
                    [] { return std::make_unique<Rebalance>(); }, {Exchange::Kind::kRebalance});
}

}  // namespace

void add_rebalance(Components& components) {
  components.add_step({.kind = ComponentKind::kStep,
                       .name = "rebalance",
                       .summary = "Spreads the rows evenly over all tasks, batch by batch.",
                       .caveats = {"Gives up the order of the rows of one key or partition. So it takes no changelog."},
                       .fields = {field::object("rebalance", {}).required().doc("Has no keys.")},
                       .examples = {"from: bids\nrebalance: {}"}},
                      bind);
}

}  // namespace weir
