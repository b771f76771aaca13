#include "connectors/generator/generator.h"

#include "connectors/generator/generator_plan.h"
#include "connectors/generator/generator_reader.h"

namespace weir {
namespace {

/// One split, whose offsets are row numbers: so a row depends on its number alone, and rows come in order.
class GeneratorEnumerator final : public SplitEnumerator {
 public:
  explicit GeneratorEnumerator(std::shared_ptr<const GeneratorPlan> plan) : plan_(std::move(plan)) {}

  std::vector<SplitState> restore(std::vector<SplitState> splits) override {
    for (SplitState& split : splits) {
      split.end = plan_->rows;
      split.ended = split.end && split.next >= *split.end;
    }
    return splits;
  }

  std::vector<SplitState> discover(const std::vector<SplitState>& known) override {
    if (!known.empty()) return {};
    return {SplitState{.end = plan_->rows}};
  }

 private:
  std::shared_ptr<const GeneratorPlan> plan_;
};

class Generator final : public BoundSource {
 public:
  explicit Generator(std::shared_ptr<const GeneratorPlan> plan)
      : plan_(std::move(plan)), ports_(with_errors_port({{"", plan_->schema}}, plan_->on_error)) {}

  const std::vector<Port>& ports() const override { return ports_; }
  bool bounded() const override { return plan_->rows.has_value(); }
  std::unique_ptr<SplitEnumerator> create_enumerator(AttemptContext&) const override {
    return std::make_unique<GeneratorEnumerator>(plan_);
  }
  std::unique_ptr<SourceReader> create_reader(AttemptContext&) const override {
    return std::make_unique<GeneratorReader>(plan_);
  }
  std::string type() const override { return "generator"; }

 private:
  std::shared_ptr<const GeneratorPlan> plan_;
  std::vector<Port> ports_;
};

std::unique_ptr<BoundSource> bind(const Component& component, BindContext& context) {
  const Config& config = component.config;
  GeneratorPlan plan{.name = component.name, .on_error = read_on_error(config)};
  plan.seed = static_cast<std::uint64_t>(config.integer("seed"));
  if (config.has("rows")) plan.rows = config.integer("rows");
  bool good = true;
  if (config.has("rate")) {
    plan.rate = config.number("rate");
    if (*plan.rate <= 0) {
      context.diagnostics.error(config.location("rate"),
                                fmt::format("rate must be more than 0, not {}", config.located("rate").text),
                                "leave it out for as many rows as possible");
      good = false;
    }
  }
  std::vector<Field> fields;
  for (const NamedText& column : config.entries("select")) {
    const ExpressionPtr expression =
        bind_expression(Text{column.text, column.location}, *number_schema(), context.diagnostics);
    good = good && expression;
    if (!expression) continue;
    fields.push_back({column.name, expression->type(), expression->nullable()});
    plan.columns.push_back(expression);
  }
  if (good && fields.empty()) {
    context.diagnostics.error(config.location("select"), "select names no column", "name at least one: { id: n }");
    good = false;
  }
  if (!good) return nullptr;
  plan.schema = std::make_shared<const Schema>(std::move(fields));
  return std::make_unique<Generator>(std::make_shared<const GeneratorPlan>(std::move(plan)));
}

}  // namespace

void add_generator(Components& components) {
  components.add_source(
      {.kind = ComponentKind::kSource,
       .name = "generator",
       .summary = "Makes rows from SQL expressions over the row number n, for trying out and measuring.",
       .caveats = {"A row depends on seed and n alone, so it is the same after a restart; only now() is the time at which "
                   "it is made.",
                   "All rows are made by one task, in order."},
       .fields = {field::integer("rows").at_least(0).doc("How many rows; unbounded where it is not given.").example("1000"),
                  field::number("rate").doc("Rows a second; as many as possible where it is not given.").example("500"),
                  field::integer("seed").defaults_to("1").doc("Another seed makes other numbers of random()."),
                  field::expressions("select")
                      .required()
                      .doc("Columns and their expressions over n, the row number from 0.")
                      .example("{ id: n, price: \"random() * 100\" }")},
       .examples = {"type: generator\nrows: 1000\nrate: 500\nselect: { id: n, price: \"random() * 100\", at: \"timestamp "
                    "'2024-01-01' + n * "
                    "interval '1 second'\" }"},
       .default_format = ""},
      bind);
}

}  // namespace weir
