#include "operators/dedup/dedup_plan.h"
#include "operators/event_time_hint.h"
#include "operators/operators.h"
#include "runtime/data/key_codec.h"

namespace weir {
namespace {

TableDeclaration table_of(const DedupPlan& plan) {
  TableDeclaration table{.name = "rows"};
  if (plan.within) {
    table.window.push_back({"piece_end", Type::timestamp(), false});  // `at` lies in the piece of time before
    table.value.push_back({"at", Type::timestamp(), false});
    table.meaning = "within " + format_duration(*plan.within);
  }
  if (plan.last) table.value.push_back({"row", Type::row(plan.input->fields()), false});
  return table;
}

std::unique_ptr<BoundStep> bound_dedup(std::shared_ptr<const DedupPlan> plan) {
  std::vector<Port> ports = {{"", plan->output}};
  if (plan->within) ports.push_back({"late", plan->input});
  return keyed_step({.ports = with_errors_port(std::move(ports), plan->on_error),
                     .by = {plan->by},
                     .tables = {table_of(*plan)},
                     .make = [plan](KeyedState& state) { return make_dedup(plan, state); }});
}

std::unique_ptr<BoundStep> bind(const Component& component, const std::vector<BoundInput>& inputs, BindContext& context) {
  const Config& config = component.config.object("dedup");
  Diagnostics& diagnostics = context.diagnostics;
  auto plan = std::make_shared<DedupPlan>();
  plan->step = component.name;
  plan->on_error = read_on_error(component.config);
  plan->input = inputs.front().schema;
  if (config.texts("by").empty())
    diagnostics.error(config.location("by"), "'by' names no column: all rows would be one", "for example by: [id]");
  for (const Text& name : config.texts("by")) {
    auto part = bind_key_column(name, *plan->input, diagnostics);
    if (!part) continue;
    if (!is_key_type(part->field.type))
      diagnostics.error(name.location,
                        fmt::format("'{}' is {}, by which rows cannot be told apart", name.text, part->field.type.name()));
    plan->by.add(std::move(*part));
  }
  plan->last = config.text("keep") == "last";
  if (config.has("within")) {
    plan->within = config.duration("within");
    if (plan->input->event_time()) plan->time = *plan->input->event_time();
    else
      diagnostics.error(config.location("within"),
                        fmt::format("within needs the event time, which '{}' does not have", inputs.front().component),
                        event_time_hint(context.file, inputs.front()));
  }
  if (plan->input->changelog())
    diagnostics.error(
        config.location(),
        "dedup of a changelog is not supported yet: rows go by arrival, and a row that is taken back did not arrive",
        "dedup the rows before they are aggregated");
  // The columns are those of the input, whatever is wrong above: that, which is reported, hides nothing behind the step.
  auto output = std::make_shared<Schema>(*plan->input);
  if (plan->last) {
    std::vector<int> key;
    for (const KeyPart& part : plan->by.parts()) key.push_back(*part.column);
    std::sort(key.begin(), key.end());
    key.erase(std::unique(key.begin(), key.end()), key.end());
    output->set_changelog(true);
    output->set_keys({std::move(key)});
  }
  plan->output = plan->last ? std::move(output) : plan->input;
  return bound_dedup(std::move(plan));
}

}  // namespace

void add_dedup(Components& components) {
  components.add_step(
      {.kind = ComponentKind::kStep,
       .name = "dedup",
       .summary = "Keeps one row of each key.",
       .caveats = {"first hands on the first row of a key to arrive and drops the others. last hands on every row, as a "
                   "changelog: each takes the "
                   "place of the one before.",
                   "Without `within` every key is remembered for ever. With it two rows of a key are the same thing if "
                   "their event times are less than "
                   "that apart, and keys are forgotten as the watermark moves on; rows at or behind the watermark are late "
                   "then: they go to NAME.late.",
                   "What last hands on has the key `by`, also with `within`: under changelog: upsert the topic holds of "
                   "each key what changed last.",
                   "Null is a key of its own."},
       .fields = {field::object(
                      "dedup",
                      {field::columns("by").required().doc("The columns of the key.").example("[id]"),
                       field::enumeration("keep", {"first", "last"}).defaults_to("first").doc("Which row stays."),
                       field::duration("within").at_least("1ms").doc("How far apart rows of one key may be.").example("1h")})
                      .required()
                      .doc("The key, and which of its rows to keep.")},
       .examples = {"from: orders\ndedup: { by: [id], keep: first, within: 1h }"},
       .outputs = {"late"}},
      bind);
}

}  // namespace weir
