#include "operators/dedup/dedup_plan.h"
#include "operators/event_time_hint.h"
#include "operators/operators.h"
#include "runtime/data/key_codec.h"

namespace weir {
namespace {

class BoundDedup final : public BoundStep {
 public:
  explicit BoundDedup(std::shared_ptr<const DedupPlan> plan) : plan_(std::move(plan)) {
    ports_.push_back({"", plan_->output});
    if (plan_->within) ports_.push_back({"late", plan_->input});
    ports_ = with_errors_port(std::move(ports_), plan_->on_error);
  }

  const std::vector<Port>& ports() const override { return ports_; }
  Exchange exchange(int) const override { return {Exchange::Kind::kHash, plan_->by}; }

  std::vector<TableDeclaration> tables() const override {
    TableDeclaration table{.name = "rows"};
    for (const int column : plan_->by) table.key.push_back(field(column));
    if (plan_->within)
      table.window.push_back({"piece_end", Type::timestamp(), false});  // `at` lies in the piece of time before
    if (plan_->within) table.value.push_back({"at", Type::timestamp(), false});
    if (plan_->within) table.meaning = "within " + format_duration(*plan_->within);
    if (plan_->last) table.value.push_back({"row", Type::row(plan_->input->fields()), false});
    return {table};
  }

  std::unique_ptr<Operator> create(AttemptContext&) const override {
    return plan_->last ? make_dedup_last(plan_) : make_dedup_first(plan_);
  }

 private:
  Field field(int column) const {
    Field f = (*plan_->input)[column];
    f.metadata = false;
    return f;
  }
  std::shared_ptr<const DedupPlan> plan_;
  std::vector<Port> ports_;
};

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
    const auto column = find_column(name, *plan->input, diagnostics);
    if (!column) continue;
    if (!is_key_type((*plan->input)[*column].type))
      diagnostics.error(name.location, fmt::format("'{}' is {}, by which rows cannot be told apart", name.text,
                                                   (*plan->input)[*column].type.name()));
    plan->by.push_back(*column);
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
    std::vector<int> key = plan->by;
    std::sort(key.begin(), key.end());
    key.erase(std::unique(key.begin(), key.end()), key.end());
    output->set_changelog(true);
    output->set_keys({std::move(key)});
  }
  plan->output = plan->last ? std::move(output) : plan->input;
  return std::make_unique<BoundDedup>(std::move(plan));
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
