#include "runtime/config/component_reader.h"

#include <fmt/format.h>
#include <algorithm>

#include "runtime/base/nearest.h"
#include "runtime/config/common_fields.h"
#include "runtime/config/names.h"
#include "runtime/config/read_value.h"
#include "runtime/config/synonyms.h"

namespace weir {

std::vector<Component> ComponentReader::read_all(ComponentKind kind, const Node& section) {
  std::vector<Component> out;
  if (section.is_empty() || section.reported) return out;
  if (!section.is_mapping()) {
    diagnostics_.error(section.location,
                       fmt::format("this must be a mapping from names to {}s, not {}", to_string(kind), section.kind_name()),
                       section.is_sequence() ? "write NAME: and its keys, without a dash" : "");
    return out;
  }
  for (const Node::Entry& entry : section.entries) {
    if (!check_component_name(entry.key, diagnostics_) || entry.value.reported) continue;
    if (entry.value.is_mapping()) out.push_back(read_one(kind, entry));
    else
      diagnostics_.error(
          entry.value.place(),
          fmt::format("{} {} must be a mapping, not {}", to_string(kind), entry.key.text, entry.value.kind_name()),
          fmt::format("a {0} has a name, and its keys below that: {0}s: {{ NAME: {{ ... }} }}", to_string(kind)));
  }
  return out;
}

/// The mapping, less the keys of rows in bytes where the component has none: they are reported.
Node ComponentReader::without_format(const Declaration& declaration, Node node) {
  if (!declaration.default_format.empty()) return node;
  std::erase_if(node.entries, [&](const Node::Entry& entry) {
    const bool is_own = std::any_of(declaration.fields.begin(), declaration.fields.end(),
                                    [&](const ConfigField& f) { return f.name == entry.key.text; });
    if (is_own || (entry.key.text != "format" && entry.key.text != "schema")) return false;
    diagnostics_.error(entry.key.location,
                       fmt::format("a {} {} takes no '{}'", declaration.name, to_string(declaration.kind), entry.key.text));
    return true;
  });
  return node;
}

/// The mapping, less keys that belong to the connection which it names: they are reported.
Node ComponentReader::without_connection_keys(const Declaration& declaration, Node node) {
  const auto is_field = [](const std::vector<ConfigField>& fields, const std::string& name) {
    return std::any_of(fields.begin(), fields.end(), [&](const ConfigField& f) { return f.name == name; });
  };
  const std::vector<ConfigField> own = all_fields(declaration);
  const bool has_connection =
      std::any_of(own.begin(), own.end(), [](const ConfigField& f) { return f.type == FieldType::kConnection; });
  const Declaration* connection = catalogue_.find(ComponentKind::kConnection, declaration.name);
  if (!has_connection || !connection) return node;
  std::erase_if(node.entries, [&](const Node::Entry& entry) {
    const std::string& key = entry.key.text;
    if (is_field(own, key) || !is_field(connection->fields, key)) return false;
    if (!entry.value.is_scalar()) ValueReader(diagnostics_).conceal(entry.value);  // passwords, properties
    diagnostics_.error(
        entry.key.location, fmt::format("'{}' belongs to the connection", key),
        fmt::format("connections: {{ main: {{ type: {}, {}: ... }} }}, and here connection: main", declaration.name, key));
    return true;
  });
  return node;
}

Component ComponentReader::read_one(ComponentKind kind, const Node::Entry& entry) {
  const Node& node = entry.value;
  Component component;
  component.kind = kind;
  component.name = entry.key.text;
  component.name_location = entry.key.location;
  const Declaration* declaration =
      kind == ComponentKind::kStep ? find_operation(component, node) : find_type(component, node);
  if (kind == ComponentKind::kStep || kind == ComponentKind::kSink) component.inputs = read_inputs(component, node);
  if (!declaration) return component;
  component.declaration = declaration;
  component.config = read(*declaration, without_connection_keys(*declaration, without_format(*declaration, node)),
                          fmt::format("{} {}", to_string(kind), component.name), diagnostics_);
  for (const ConfigField& field : declaration->fields)
    if (field.type == FieldType::kConnection && component.config.has(field.name))
      component.connection = component.config.text(field.name);
  const bool takes_format = kind == ComponentKind::kSource || kind == ComponentKind::kSink;
  if (takes_format && !declaration->default_format.empty()) component.format = read_format(*declaration, node);
  check_outputs(component);
  return component;
}

namespace {

/// What the name of a component of this kind is called in messages.
const char* word_for_type(ComponentKind kind) {
  switch (kind) {
    case ComponentKind::kConnection: return "connection type";
    case ComponentKind::kSource: return "source type";
    case ComponentKind::kStep: return "operation";
    case ComponentKind::kSink: return "sink type";
    default: return to_string(kind);
  }
}

}  // namespace

/// The declaration of a type that is supported. Otherwise null: it is reported.
const Declaration* ComponentReader::known(ComponentKind kind, const Node& type) {
  const Declaration* declaration = catalogue_.find(kind, type.text);
  if (declaration && declaration->supported) return declaration;
  if (declaration) {
    diagnostics_.error(type.location, fmt::format("{} {} is not supported yet", word_for_type(kind), type.text));
    return nullptr;
  }
  const std::vector<std::string> names = catalogue_.names(kind, true);
  std::string hint = known_as_hint(type.text, kind == ComponentKind::kStep ? catalogue_.names(kind) : names);
  if (hint.empty()) hint = "one of " + listed(names);
  diagnostics_.error(type.location, fmt::format("unknown {} {}", word_for_type(kind), type.shown()), hint);
  return nullptr;
}

const Declaration* ComponentReader::find_type(Component& component, const Node& node) {
  const Node* type = node.find("type");
  if (!type) {
    diagnostics_.error(node.place(), fmt::format("{} {} needs 'type'", to_string(component.kind), component.name),
                       "one of " + listed(catalogue_.names(component.kind, true)));
    return nullptr;
  }
  if (type->reported) return nullptr;
  if (!type->is_scalar()) {
    diagnostics_.error(type->place(), fmt::format("'type' must be text, not {}", type->kind_name()));
    return nullptr;
  }
  component.type = type->text;
  return known(component.kind, *type);
}

const Declaration* ComponentReader::find_operation(Component& component, const Node& node) {
  const Node::Entry* operation = nullptr;
  for (const Node::Entry& entry : node.entries) {
    if (!catalogue_.find(ComponentKind::kStep, entry.key.text)) continue;
    if (operation) {
      diagnostics_.error(
          entry.key.location,
          fmt::format("step {} has two operations: {} and {}", component.name, operation->key.text, entry.key.text),
          "make a step of each");
      return nullptr;
    }
    operation = &entry;
  }
  if (!operation) {
    report_no_operation(component, node);
    return nullptr;
  }
  component.type = operation->key.text;
  return known(ComponentKind::kStep, operation->key);
}

void ComponentReader::report_no_operation(const Component& component, const Node& node) {
  std::vector<const Node::Entry*> others;
  for (const Node::Entry& entry : node.entries)
    if (entry.key.text != "from" && entry.key.text != "on_error") others.push_back(&entry);
  if (others.size() == 1) {
    const Node& key = others[0]->key;
    if (key.text == "type") {
      diagnostics_.error(key.location, "a step has no 'type': its operation is a key",
                         "for example filter: \"price > 100\"");
      return;
    }
    std::string hint = known_as_hint(key.text, catalogue_.names(ComponentKind::kStep));
    if (hint.empty()) hint = "one of " + listed(catalogue_.names(ComponentKind::kStep, true));
    diagnostics_.error(key.location, fmt::format("unknown operation {}", key.shown()), hint);
    return;
  }
  diagnostics_.error(node.place(), fmt::format("step {} has no operation", component.name),
                     "one of " + listed(catalogue_.names(ComponentKind::kStep, true)));
}

std::optional<FormatConfig> ComponentReader::read_format(const Declaration& declaration, const Node& node) {
  FormatConfig format;
  format.type = declaration.default_format;
  format.location = node.place();
  Node type, options;
  type.kind = Node::Kind::kScalar;
  type.text = type.written = format.type;
  type.location = options.location = node.place();
  options.kind = Node::Kind::kMapping;
  if (const Node* written = node.find("format"); written && !written->reported) {
    format.location = written->location;
    if (written->is_scalar()) {
      type = *written;
    } else if (const Node* name = written->find("type"); name && name->is_scalar()) {
      type = *name;
      options = *written;
      std::erase_if(options.entries, [](const Node::Entry& entry) { return entry.key.text == "type"; });
    } else {
      diagnostics_.error(written->place(), "'format' must be the name of a format, or a mapping with its 'type'",
                         "for example format: { type: json, missing: fail }");
      return format;
    }
  }
  format.type = type.text;
  format.declaration = known(ComponentKind::kFormat, type);
  if (format.declaration) format.config = read(*format.declaration, options, "format " + format.type, diagnostics_);
  return format;
}

std::vector<InputReference> ComponentReader::read_inputs(const Component& component, const Node& node) {
  std::vector<InputReference> out;
  const Node* from = node.find("from");
  if (!from || from->reported) return out;
  const auto add = [&](const Node& item) {
    if (std::optional<InputReference> input = read_input(item)) out.push_back(std::move(*input));
  };
  if (!from->is_sequence()) {
    add(*from);
    return out;
  }
  const Declaration* declaration =
      component.kind == ComponentKind::kStep ? catalogue_.find(ComponentKind::kStep, component.type) : nullptr;
  const bool takes_many =
      declaration ? declaration->takes_many_inputs || !declaration->supported : component.kind == ComponentKind::kStep;
  if (!takes_many) {
    const std::string what = component.kind == ComponentKind::kStep ? component.type : "a sink";
    diagnostics_.error(from->location, fmt::format("{} reads one input, not a list", what),
                       "a union step puts several inputs together: { from: [a, b], union: {} }");
  } else if (from->items.empty()) {
    diagnostics_.error(from->location, "'from' names no input");
  }
  for (const Node& item : from->items) add(item);
  return out;
}

std::optional<InputReference> ComponentReader::read_input(const Node& node) {
  if (node.reported) return std::nullopt;
  if (!node.is_scalar()) {
    diagnostics_.error(node.place(), fmt::format("'from' must name a source or step, not {}", node.kind_name()),
                       "for example from: bids");
    return std::nullopt;
  }
  const std::size_t dot = node.text.find('.');
  InputReference input;
  input.component = node.text.substr(0, dot);
  if (dot != std::string::npos) input.output = node.text.substr(dot + 1);
  input.location = node.location;
  const bool reads = is_component_name(input.component) && (dot == std::string::npos || is_component_name(input.output));
  if (reads) return input;
  diagnostics_.error(node.location, fmt::format("'from' must name a source or step, or a named output: {}", node.shown()),
                     "for example bids, step.late, x.errors");
  return std::nullopt;
}

void ComponentReader::check_outputs(const Component& component) {
  for (const ConfigField& field : component.declaration->fields) {
    if (!field.keys_are_outputs || !component.config.has(field.name)) continue;
    const std::vector<NamedText>& outputs = component.config.entries(field.name);
    if (outputs.empty())
      diagnostics_.error(component.config.location(field.name), fmt::format("'{}' names no output", field.name),
                         "for example { big: \"total > 1000\" }");
    for (const NamedText& output : outputs) check_output_name(output.name, output.name_location, diagnostics_);
  }
}

}  // namespace weir
