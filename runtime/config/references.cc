#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "runtime/base/nearest.h"
#include "runtime/config/component_reader.h"
#include "runtime/config/read_value.h"

namespace weir {
namespace {

/// The names of a step's own outputs (route), or nullopt if it has the unnamed one.
std::optional<std::vector<std::string>> named_outputs(const Component& component) {
  for (const ConfigField& field : component.declaration->fields) {
    if (!field.keys_are_outputs) continue;
    std::vector<std::string> names;
    if (component.config.has(field.name))
      for (const NamedText& entry : component.config.entries(field.name)) names.push_back(entry.name);
    names.push_back("rest");
    return names;
  }
  return std::nullopt;
}

class ReferenceCheck {
 public:
  ReferenceCheck(const PipelineFile& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  void run() {
    collect_names();
    for (const auto* components : {&file_.connections, &file_.sources, &file_.steps, &file_.sinks})
      for (const Component& component : *components) check_connection(component);
    for (const auto* components : {&file_.steps, &file_.sinks})
      for (const Component& component : *components)
        for (const InputReference& input : component.inputs) check_input(component, input);
    for (const Component* component : all_) check_errors_are_read(*component);
    check_circles();
  }

 private:
  void collect_names() {
    for (const auto* components : {&file_.sources, &file_.steps, &file_.sinks}) {
      for (const Component& component : *components) {
        const auto [known, is_new] = by_name_.try_emplace(component.name, &component);
        all_.push_back(&component);
        if (is_new) continue;
        const Component& first = *known->second;
        diagnostics_.error(
            component.name_location,
            fmt::format("the name '{}' is taken: sources, steps and sinks share one name space", component.name),
            fmt::format("{} {} is in line {}", to_string(first.kind), first.name, first.name_location.position().line));
      }
    }
  }

  void check_connection(const Component& component) {
    if (component.connection.empty()) return;
    Location where;
    for (const ConfigField& field : component.declaration->fields)
      if (field.type == FieldType::kConnection && component.config.given(field.name))
        where = component.config.location(field.name);
    if (const Component* connection = file_.find_connection(component.connection)) {
      if (connection->type == component.type || !connection->declaration) return;
      diagnostics_.error(
          where, fmt::format("connection {} is of type {}, not {}", connection->name, connection->type, component.type));
      return;
    }
    if (diagnostics_.full()) return;
    std::vector<std::string> names;
    for (const Component& connection : file_.connections) names.push_back(connection.name);
    std::string hint = nearest_hint(component.connection, names);
    if (hint.empty()) hint = names.empty() ? "add it to connections" : "one of " + listed(names);
    diagnostics_.error(where, fmt::format("there is no connection '{}'", component.connection), hint);
  }

  void check_input(const Component& reader, const InputReference& input) {
    const auto found = by_name_.find(input.component);
    if (found == by_name_.end()) return report_unknown(input);
    const Component& read = *found->second;
    if (&read == &reader) {
      diagnostics_.error(input.location, fmt::format("{} {} reads itself", to_string(reader.kind), reader.name));
    } else if (input.output == "errors") {
      check_errors_input(read, input);
    } else if (read.kind == ComponentKind::kSink) {
      diagnostics_.error(input.location,
                         fmt::format("{} is a sink: only its stream {}.errors can be read", read.name, read.name));
    } else if (read.declaration && read.config.usable()) {
      check_output(read, input);
    }
  }

  void report_unknown(const InputReference& input) {
    if (diagnostics_.full()) return;
    std::vector<std::string> names;
    for (const Component* component : all_)
      if (component->kind != ComponentKind::kSink) names.push_back(component->name);
    std::string hint = nearest_hint(input.component, names);
    if (hint.empty() && !names.empty()) hint = "there are " + fmt::format("{}", fmt::join(names, ", "));
    diagnostics_.error(input.location, fmt::format("there is no source or step '{}'", input.component), hint);
  }

  void check_errors_input(const Component& read, const InputReference& input) {
    errors_read_.insert(read.name);
    if (!read.declaration || !read.config.ok() || !read.config.has("on_error") || read.config.text("on_error") == "emit")
      return;
    diagnostics_.error(
        input.location,
        fmt::format("nothing is written to {}.errors: its on_error is {}", read.name, read.config.text("on_error")),
        fmt::format("write on_error: emit at {} {}", to_string(read.kind), read.name));
  }

  void check_output(const Component& read, const InputReference& input) {
    std::vector<std::string> names = read.declaration->outputs;
    const auto own = named_outputs(read);
    if (own) names.insert(names.end(), own->begin(), own->end());
    if (input.output.empty() && own) {
      std::vector<std::string> whole;
      for (const std::string& name : *own) whole.push_back(read.name + "." + name);
      diagnostics_.error(input.location, fmt::format("{} has named outputs only", read.name), "read " + listed(whole));
    } else if (!input.output.empty() && std::find(names.begin(), names.end(), input.output) == names.end()) {
      std::vector<std::string> all = names;
      all.push_back("errors");
      std::string hint = nearest_hint(input.output, all);
      if (nearest_name(input.output, all) == "errors") errors_read_.insert(read.name);
      if (hint.empty() && !names.empty()) hint = "it has " + listed(names);
      diagnostics_.error(input.location,
                         fmt::format("{} {} has no output '{}'", to_string(read.kind), read.name, input.output), hint);
    }
  }

  void check_errors_are_read(const Component& component) {
    const Config& config = component.config;
    if (!component.declaration || !config.given("on_error") || config.text("on_error") != "emit" ||
        errors_read_.contains(component.name))
      return;
    diagnostics_.error(config.location("on_error"), fmt::format("nothing reads {}.errors", component.name),
                       fmt::format("add a sink with from: {}.errors, or write on_error: skip", component.name));
  }

  /// Steps that read one another in a circle: each is found once, at the input that closes it.
  void check_circles() {
    std::map<const Component*, int> state;  // 1: being visited, 2: done
    std::vector<const Component*> path;
    const std::function<void(const Component&)> visit = [&](const Component& step) {
      state[&step] = 1;
      path.push_back(&step);
      for (const InputReference& input : step.inputs) {
        const auto found = by_name_.find(input.component);
        if (found == by_name_.end() || found->second->kind != ComponentKind::kStep || found->second == &step) continue;
        if (state[found->second] == 1) report_circle(path, *found->second, input);
        else if (state[found->second] == 0 && path.size() < kLongestPath) visit(*found->second);
      }
      path.pop_back();
      state[&step] = 2;
    };
    for (const Component& step : file_.steps)
      if (state[&step] == 0) visit(step);
  }

  void report_circle(const std::vector<const Component*>& path, const Component& start, const InputReference& closing) {
    std::string circle;
    for (auto it = std::find(path.begin(), path.end(), &start); it != path.end(); ++it)
      circle = (*it)->name + (circle.empty() ? "" : " -> ") + circle;
    diagnostics_.error(closing.location,
                       fmt::format("these steps read one another in a circle: {} -> {}", start.name, circle));
  }

  static constexpr std::size_t kLongestPath = 2000;  ///< steps in a row

  const PipelineFile& file_;
  Diagnostics& diagnostics_;
  std::map<std::string, const Component*> by_name_;
  std::vector<const Component*> all_;
  std::set<std::string> errors_read_;
};

}  // namespace

void check_references(const PipelineFile& file, Diagnostics& diagnostics) { ReferenceCheck(file, diagnostics).run(); }

}  // namespace weir
