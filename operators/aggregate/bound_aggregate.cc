#include "operators/aggregate/distinct_values.h"

namespace weir {
namespace {

/// On one line, without semicolons.
std::string on_one_line(std::string_view text) {
  std::string out;
  char quote = 0;
  for (const char c : text) {
    const bool blank = quote == 0 && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
    if (blank && (out.empty() || out.back() == ' ')) continue;
    if (c == '\'' || c == '"') quote = quote == 0 ? c : quote == c ? 0 : quote;
    out += blank ? ' ' : c == ';' ? ',' : c;
  }
  if (quote == 0 && out.ends_with(' ')) out.pop_back();
  return out;
}

/// The window and the expressions that accumulators come from: with others the same accumulators would be something else.
std::string meaning_of_state(const AggregatePlan& plan) {
  std::string out;
  const auto add = [&](const std::string& piece) { out += (out.empty() ? "" : ", ") + piece; };
  if (plan.sessions()) add("session " + format_duration(plan.gap));
  if (plan.aligned()) add(plan.shape.text());
  for (const KeyPart& g : plan.by.parts())
    if (!g.column) add(g.field.name + " = " + on_one_line(g.expression->text()));
  for (const AggregateCall& call : plan.calls->calls()) add(on_one_line(call.text));
  return out;
}

/// A table of groups and those of their distinct values.
std::vector<TableDeclaration> with_distinct(const AggregatePlan& plan, TableDeclaration groups) {
  std::vector<TableDeclaration> tables = {groups};
  for (TableDeclaration& values : DistinctValues::tables(plan)) {
    values.window = groups.window;
    values.meaning = groups.meaning;
    tables.push_back(std::move(values));
  }
  return tables;
}

std::vector<TableDeclaration> tables_of(const AggregatePlan& plan) {
  const std::vector<Field> values = plan.calls->state_fields();
  const std::string meaning = meaning_of_state(plan);
  const Field end{"window_end", Type::timestamp(), false};
  switch (plan.kind) {
    case AggregatePlan::Kind::kGroup: return with_distinct(plan, {"groups", {}, {}, values, meaning});
    // Named apart from windows that wait for their end: of those nothing has come out that could be retracted.
    case AggregatePlan::Kind::kEarlyWindow: return with_distinct(plan, {"updates", {end}, {}, values, meaning});
    case AggregatePlan::Kind::kWindow: {
      const char* name = plan.shape.kind == WindowShape::Kind::kHopping ? "slice_end" : "window_end";
      return {{"windows", {{name, Type::timestamp(), false}}, {}, values, meaning}};
    }
    case AggregatePlan::Kind::kSession:
    case AggregatePlan::Kind::kEarlySession: break;
  }
  std::vector<Field> session = {{"window_start", Type::timestamp(), false}, end};
  session.insert(session.end(), values.begin(), values.end());
  const char* name = plan.on_update() ? "updates" : "sessions";
  return {{name, {}, {}, {{"sessions", Type::array(Type::row(std::move(session))), false}}, meaning},
          {"timers", {{"until", Type::timestamp(), false}}, {}, {{"due", Type::timestamp(), false}}}};
}

std::vector<Duration> window_grains(const AggregatePlan& plan) {
  if (!plan.aligned()) return {};
  const WindowShape& s = plan.shape;
  // Clocks are ahead of UTC by whole seconds.
  return {{s.size}, {s.every}, {s.offset}, s.zone ? Duration::seconds(1) : Duration{}};
}

std::unique_ptr<Operator> make(const AggregatePlanPtr& plan, KeyedState& state) {
  switch (plan->kind) {
    case AggregatePlan::Kind::kWindow: return make_window_aggregate(plan, state);
    case AggregatePlan::Kind::kEarlyWindow: return make_early_window_aggregate(plan, state);
    case AggregatePlan::Kind::kSession: return make_session_aggregate(plan, state);
    case AggregatePlan::Kind::kEarlySession: return make_early_session_aggregate(plan, state);
    case AggregatePlan::Kind::kGroup: return make_group_aggregate(plan, state);
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<BoundStep> bound_aggregate(AggregatePlanPtr plan) {
  std::vector<Port> ports = {{"", plan->output}};
  if (plan->windowed()) ports.push_back({"late", plan->input});
  return keyed_step({.ports = with_errors_port(std::move(ports), plan->on_error),
                     .by = {plan->by},
                     .tables = tables_of(*plan),
                     .window_grains = window_grains(*plan),
                     .make = [plan](KeyedState& state) { return make(plan, state); }});
}

}  // namespace weir
