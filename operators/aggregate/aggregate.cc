#include <numeric>

#include "operators/aggregate/aggregate_plan.h"
#include "operators/event_time_hint.h"
#include "operators/operators.h"
#include "runtime/data/event_time_column.h"
#include "runtime/data/key_codec.h"

namespace weir {
namespace {

/// Binds the keys of an aggregate step; reports all problems.
class AggregateStepBinder {
 public:
  AggregateStepBinder(const Component& component, const BoundInput& input, BindContext& context)
      : config_(component.config.object("aggregate")),
        input_(input),
        file_(context.file),
        diagnostics_(context.diagnostics),
        plan_(std::make_shared<AggregatePlan>()) {
    plan_->step = component.name;
    plan_->on_error = read_on_error(component.config);
    plan_->input = input.schema;
  }

  std::unique_ptr<BoundStep> bind() {
    bind_groups();
    bind_window();
    bind_emission();
    bind_items();
    return good_ ? bound_aggregate(std::move(plan_)) : nullptr;
  }

 private:
  void error(const Location& where, std::string text, std::string hint = {}) {
    diagnostics_.error(where, std::move(text), std::move(hint));
    good_ = false;
  }

  void bind_groups() {
    if (!config_.has("by")) {
      good_ &= config_.ok();  // else it may be wrong: its columns are not known
      return;
    }
    for (const Config& item : config_.items("by")) {
      if (item.form() == "column") {
        const Text& name = item.located("column");
        if (!input_.schema->find(name.text) && name.text.find_first_of("()+*/|'<>=: ") != std::string::npos) {
          error(name.location, fmt::format("an expression in 'by' needs a name: {}", name.text),
                fmt::format("write {{name: \"{}\"}}", name.text));
          lacks(name.text);
          continue;
        }
        if (auto part = bind_key_column(name, *input_.schema, diagnostics_)) {
          part->expression = column_expression(*part->column);
          add_group(std::move(*part), name.location);
        } else {
          lacks(name.text);
        }
        continue;
      }
      for (const NamedText& named : item.entries("named")) {
        ExpressionPtr expression = bind_expression(Text{named.text, named.location}, *input_.schema, diagnostics_);
        if (!expression) {
          lacks(named.name);
          continue;
        }
        if (!expression->is_deterministic())
          error(named.location,
                fmt::format("'{}' depends on more than the row, by which rows cannot be grouped", named.name),
                "compute the column with select before, and name it here");
        Field field{named.name, expression->type(), expression->nullable()};
        add_group({std::move(field), expression->as_column(), expression}, named.name_location);
      }
    }
  }

  /// A group that is wrong, and said to be.
  void lacks(const std::string& group) {
    missing_groups_.push_back(group);
    good_ = false;
  }

  /// The column as an expression.
  ExpressionPtr column_expression(int column) const {
    std::string name = "\"";
    for (const char c : (*input_.schema)[column].name) name += c == '"' ? "\"\"" : std::string(1, c);
    std::vector<ExpressionError> ignored;
    return Expression::compile(name + "\"", *input_.schema, ignored);
  }

  void add_group(KeyPart group, const Location& where) {
    if (!is_key_type(group.field.type)) {
      lacks(group.field.name);
      return error(where,
                   fmt::format("'{}' is {}, by which rows cannot be grouped", group.field.name, group.field.type.name()),
                   "name a member of it: { name: \"column.member\" }");
    }
    if (plan_->by.has(group.field.name)) return error(where, fmt::format("'{}' is in `by` twice", group.field.name));
    plan_->by.add(std::move(group));
  }

  void bind_window() {
    if (!config_.has("window")) {
      plan_->kind = AggregatePlan::Kind::kGroup;
      return;
    }
    const Config& window = config_.choice("window");
    if (!window.usable()) {
      good_ = false;  // reported; what follows is the same for every window
    } else if (window.form() == "session") {
      plan_->kind = AggregatePlan::Kind::kSession;
      plan_->gap = window.duration("session");
    } else {
      bind_aligned(window);
    }
    if (input_.schema->changelog())
      error(config_.location("window"), "windows over a changelog are not supported yet",
            "leave the window out, or aggregate before");
    if (!input_.schema->event_time())
      return error(config_.location("window"),
                   fmt::format("a window needs the event time, which '{}' does not have", input_name()),
                   event_time_hint(file_, input_));
    plan_->time = *input_.schema->event_time();
  }

  std::string input_name() const {
    return input_.output.empty() ? input_.component : input_.component + "." + input_.output;
  }

  void bind_aligned(const Config& window) {
    const Duration offset = window.duration("offset");
    const std::string& form = window.form();
    const Duration size = window.duration(form);
    if (form == "tumbling") {
      plan_->shape = WindowShape::tumbling(size, offset);
      return bind_zone(window);
    }
    const Duration every = window.duration("every");
    if (every > size)
      return error(window.location("every"),
                   fmt::format("'every' is longer than the window: {}, {}", format_duration(every), format_duration(size)),
                   "rows between the windows would be lost; use a filter for that");
    if (form == "hopping") {
      plan_->shape = WindowShape::hopping(size, every, offset);
      return bind_zone(window);
    }
    if (size.micros % every.micros != 0)
      return error(window.location("every"), fmt::format("'cumulate' must be a multiple of 'every': {}, {}",
                                                         format_duration(size), format_duration(every)));
    plan_->shape = WindowShape::cumulate(size, every, offset);
    bind_zone(window);
  }

  void bind_zone(const Config& window) {
    if (!window.has("zone") || window.text("zone") == "UTC") return;
    WindowShape& shape = plan_->shape;
    if (shape.slice % Duration::seconds(86'400).micros != 0)
      return error(window.location("zone"),
                   fmt::format("a zone is for windows of whole days{}: {}",
                               shape.every == shape.size ? "" : ", every whole days", window.text("zone")),
                   "leave the zone out: shorter windows are aligned in UTC, where `offset` moves them");
    std::string problem;
    shape.zone_name = window.text("zone");
    shape.zone = TimeZone::load(shape.zone_name, problem);
    if (!shape.zone) error(window.location("zone"), problem, "names are those of the tz database: Europe/Berlin");
  }

  void bind_emission() {
    const bool on_update = config_.text("emit") == "on_update";
    if (!plan_->windowed() && config_.given("emit") && !on_update)
      error(config_.location("emit"), "without a window nothing closes, so nothing would come out",
            "write emit: on_update, or give a window");
    if (!on_update || !plan_->windowed()) return;
    if (plan_->sessions()) {
      plan_->kind = AggregatePlan::Kind::kEarlySession;
      return;
    }
    const std::int64_t windows = plan_->shape.size / std::max<std::int64_t>(1, plan_->shape.every);
    if (windows > kMostUpdated)
      return error(config_.location("emit"),
                   fmt::format("with emit: on_update every row changes the rows of {} windows at once", windows),
                   fmt::format("at most {}: write a longer `every`, or leave emit out", kMostUpdated));
    plan_->kind = AggregatePlan::Kind::kEarlyWindow;
  }

  void bind_items() {
    std::vector<Field> fields = plan_->by.fields();
    if (plan_->windowed()) {
      fields.push_back({"window_start", Type::timestamp(), false});
      fields.push_back({"window_end", Type::timestamp(), false});
    }
    check_names();
    plan_->calls =
        std::make_unique<AggregateCalls>(*plan_->input, fields, input_.schema->changelog(), plan_->values_apart());
    if (config_.has("select"))
      for (const NamedText& item : config_.entries("select")) bind_item(item, fields);
    if (!good_) return;
    if (fields.empty())
      return error(config_.location(), "the aggregate has neither `by` nor `select`",
                   "name what to compute: select: { n: \"count(*)\" }");
    if (!plan_->windowed()) plan_->row_count = plan_->calls->add_row_count();
    plan_->results = std::make_shared<const Schema>(plan_->calls->results());
    if (plan_->windowed()) fields.push_back({kEventTimeColumn, Type::timestamp(), false, true});
    auto output = std::make_shared<Schema>(std::move(fields));
    if (plan_->windowed()) output->set_event_time(output->size() - 1);
    output->set_changelog(plan_->on_update());
    if (plan_->on_update()) output->set_keys(keys());
    plan_->output = std::move(output);
  }

  /// The groups; with a window either end tells the windows of a group apart, but those that cumulate begin together.
  std::vector<std::vector<int>> keys() const {
    std::vector<int> groups(plan_->by.size());
    std::iota(groups.begin(), groups.end(), 0);
    if (!plan_->windowed()) return {groups};
    std::vector<int> with_start = groups, with_end = groups;
    with_start.push_back(static_cast<int>(groups.size()));
    with_end.push_back(static_cast<int>(groups.size()) + 1);
    if (plan_->aligned() && plan_->shape.kind == WindowShape::Kind::kCumulate) return {with_end};
    return {with_end, with_start};
  }

  void check_names() {
    for (const KeyPart& g : plan_->by.parts())
      if (plan_->windowed() &&
          (g.field.name == "window_start" || g.field.name == "window_end" || g.field.name == kEventTimeColumn))
        error(config_.location("by"), fmt::format("'{}' is the name of a column that the window adds", g.field.name),
              "rename the column with select before");
  }

  /// True if an item's error is only that a group is not there, which is said at the group.
  bool follows_from_a_group(const ExpressionError& e, std::string_view item) const {
    std::string_view rest = item.substr(std::min(e.offset, item.size()));
    if (rest.starts_with('"')) rest.remove_prefix(1);
    const auto is_word = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
    return std::any_of(missing_groups_.begin(), missing_groups_.end(), [&](const std::string& group) {
      return rest.starts_with(group) && (rest.size() == group.size() || !is_word(rest[group.size()]));
    });
  }

  void bind_item(const NamedText& item, std::vector<Field>& fields) {
    const auto there = [&](const Field& f) { return f.name == item.name; };
    if (std::any_of(fields.begin(), fields.end(), there) || (plan_->windowed() && item.name == kEventTimeColumn))
      return error(item.name_location, fmt::format("the result has a column '{}' already", item.name),
                   "choose another name");
    if (item.text.empty()) {  // it did not read, which was reported
      good_ = false;
      return;
    }
    std::vector<ExpressionError> errors;
    const ExpressionPtr expression = plan_->calls->bind(item.name, item.text, errors);
    for (const ExpressionError& e : errors) {
      if (follows_from_a_group(e, item.text)) continue;
      const bool may_be_text = e.text.starts_with("unknown column") && e.hint.starts_with("columns are");
      const std::string quoting = may_be_text ? quoting_hint({item.text, item.location}) : std::string();
      error(item.location.at(e.offset), e.text, quoting.empty() ? e.hint : quoting);
    }
    if (!expression) return;
    fields.push_back({item.name, expression->type(), expression->nullable()});
    plan_->items.push_back(expression);
  }

  static constexpr std::int64_t kMostUpdated = 1000;  ///< windows of which a row may change all at once

  const Config& config_;
  const BoundInput& input_;
  const PipelineFile& file_;
  Diagnostics& diagnostics_;
  std::shared_ptr<AggregatePlan> plan_;
  std::vector<std::string> missing_groups_;
  bool good_ = true;
};

std::unique_ptr<BoundStep> bind(const Component& component, const std::vector<BoundInput>& inputs, BindContext& context) {
  return AggregateStepBinder(component, inputs.front(), context).bind();
}

ConfigField window_field() {
  const auto offset = [] { return field::duration("offset").defaults_to("0s").doc("Moves all windows by that much."); };
  const auto zone = [] {
    return field::text("zone")
        .defaults_to("UTC")
        .doc("The time zone in which whole days begin: a day is 23 or 25 hours long when clocks are set.")
        .example("Europe/Berlin");
  };
  const auto every = [](const char* doc) { return field::duration("every").required().at_least("1ms").doc(doc); };
  return field::one_of(
             "window",
             {field::form(
                  {field::duration("tumbling").required().at_least("1ms").doc("Windows of this size, one after the other."),
                   offset(), zone()}),
              field::form({field::duration("hopping").required().at_least("1ms").doc("Windows of this size that overlap."),
                           every("A window begins every so often."), offset(), zone()}),
              field::form({field::duration("cumulate")
                               .required()
                               .at_least("1ms")
                               .doc("Windows that begin together and grow up to this size."),
                           every("By how much each is longer than the one before."), offset(), zone()}),
              field::form({field::duration("session").required().at_least("1ms").doc(
                  "A window for rows of a key that lie no further apart than this.")})})
      .doc(
          "Which rows of a key belong together. Aligned to 1970-01-01T00:00:00Z, half-open. Without it the groups never "
          "end.")
      .example("{ tumbling: 1m }");
}

}  // namespace

void add_aggregate(Components& components) {
  components.add_step(
      {.kind = ComponentKind::kStep,
       .name = "aggregate",
       .summary = "Groups rows by keys and windows of event time and computes one row for each group.",
       .caveats = {"With a window a group's row comes out when the watermark reaches the window's end; its columns are "
                   "those of `by`, window_start, "
                   "window_end and the selected ones, its event time is window_end - 1 us. Without one, or with emit: "
                   "on_update, every change comes out, as "
                   "a changelog: then the sink says how changes are written.",
                   "A row whose window has fired is late: it goes to NAME.late. In a hopping or cumulating window it still "
                   "counts in the windows "
                   "that are open, and is in NAME.late once.",
                   "A session ends one gap behind its last row, and comes out when the watermark has reached that time: a "
                   "row at just its "
                   "end still belongs to it. A row behind the watermark is late only if its own session, merged with those "
                   "that are open, "
                   "has ended; else it counts in a session that may overlap one that came out before.",
                   "Null is a key of its own. Rows that fail in an expression follow on_error and count nowhere.",
                   "Without `by`, or with `by: []`, all rows are one group and go through one task."},
       .fields = {field::object(
                      "aggregate",
                      {field::list_of("by", field::one_of("by", {field::column("column"), field::expressions("named")}))
                           .or_one()
                           .doc("Columns, or names and expressions: { day: \"date_trunc('day', at)\" }; one of them alone "
                                "needs no list.")
                           .example("[customer, currency]"),
                       window_field(),
                       field::expressions("select")
                           .doc("Names of columns and their SQL expressions over aggregate calls and the columns of `by`.")
                           .example("{ n: \"count(*)\", total: \"sum(price) filter (where paid)\" }"),
                       field::any("coalesce").not_supported_yet().doc("How often the last state of a group comes out."),
                       field::enumeration("emit", {"on_close", "on_update"})
                           .defaults_to("on_close")
                           .doc("When rows come out: when the window closes, or whenever they change, as a changelog "
                                "(always so without a window); "
                                "then state is kept for every window that a row is in, and a window's row stays when the "
                                "watermark passes its end.")})
                      .required()
                      .doc("What to group by and what to compute.")},
       .examples = {"from: bids\naggregate:\n  by: [bidder]\n  window: { tumbling: 1m }\n  select: { bids: \"count(*)\", "
                    "total: \"sum(price)\" }"},
       .outputs = {"late"}},
      bind);
}

}  // namespace weir
