#include "operators/event_time_hint.h"

#include "runtime/data/event_time_column.h"

namespace weir {
namespace {

/// Where the event time of a component's rows is.
struct Trace {
  std::string column;               ///< that it is in; empty: there is none
  const Component* lost = nullptr;  ///< the select that leaves it out
  std::string left_out;             ///< the column that it is in before that select
};

bool is_name(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c == '_' || std::isalnum(c) || c >= 0x80; });
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n\"");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n\"") + 1 - begin);
}

Trace of_source(const Component& source) {
  if (!source.config.has("event_time") || !source.config.object("event_time").has("column")) return {};
  const std::string column = trimmed(source.config.object("event_time").expression("column").text);
  return {is_name(column) ? column : kEventTimeColumn};
}

bool takes(const SelectItem& star, const std::string& column) {
  return std::none_of(star.except.begin(), star.except.end(), [&](const Text& name) { return name.text == column; });
}

Trace behind_select(const Component& select, Trace trace) {
  if (trace.column.empty() || !select.config.has("select")) return trace;
  const std::string column = trace.column;
  bool carried = false, replaced = false;
  for (const SelectItem& item : select.config.selection("select")) {
    if (item.star) carried |= takes(item, column);
    else if (trimmed(item.expression.text) == column) return {item.name};
    else replaced |= item.name == column;
  }
  if (carried && !replaced) return trace;
  return {"", &select, column};
}

Trace trace_of(const PipelineFile& file, const std::string& name) {
  const Component* component = file.find(name);
  if (!component) return {};
  if (component->kind == ComponentKind::kSource) return of_source(*component);
  if (component->type == "aggregate")
    return component->config.object("aggregate").has("window") ? Trace{kEventTimeColumn} : Trace{};
  Trace found;
  for (const InputReference& input : component->inputs) {
    found = input.output == "errors" ? Trace{} : trace_of(file, input.component);
    if (found.column.empty()) break;  // several inputs have it only if all do
  }
  return component->type == "select" ? behind_select(*component, std::move(found)) : found;
}

}  // namespace

std::string event_time_hint(const PipelineFile& file, const BoundInput& input) {
  const Trace trace = input.output == "errors" ? Trace{} : trace_of(file, input.component);
  if (!trace.lost) return "give the source an event_time, and keep its column in every select up to here";
  const auto is_taken = [&](const std::string& name) {
    const auto& items = trace.lost->config.selection("select");
    return std::any_of(items.begin(), items.end(), [&](const SelectItem& item) { return item.name == name; });
  };
  std::string name = trace.left_out == kEventTimeColumn ? "at" : trace.left_out;
  if (is_taken(name)) name = "event_time";
  return fmt::format("the event time is in the column {} there: add  {}: {}  to the select of '{}'", trace.left_out, name,
                     trace.left_out, trace.lost->name);
}

}  // namespace weir
