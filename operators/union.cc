#include "operators/bound_step.h"
#include "operators/operators.h"
#include "runtime/api/united_inputs.h"

namespace weir {
namespace {

/// Hands on the rows of all its inputs, in the order in which they arrive.
class Union final : public Operator {
 public:
  explicit Union(SchemaPtr schema) : schema_(std::move(schema)) {}

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
                    [schema] { return std::make_unique<Union>(schema); });
}

}  // namespace

void add_union(Components& components) {
  components.add_step({.kind = ComponentKind::kStep,
                       .name = "union",
                       .summary = "Brings several inputs together into one stream.",
                       .caveats = {"All inputs must have columns of the same names and types in the same order.",
                                   "The rows of one input keep their order; how the inputs mix is not fixed.",
                                   "The event time stays if all inputs have it in the same column."},
                       .fields = {field::object("union", {}).required().doc("Has no keys.")},
                       .examples = {"from: [web, app]\nunion: {}"},
                       .takes_many_inputs = true},
                      bind);
}

}  // namespace weir
