#include <fmt/format.h>
#include <algorithm>

#include "runtime/base/nearest.h"
#include "runtime/config/common_fields.h"
#include "runtime/config/config_value.h"
#include "runtime/config/read_value.h"
#include "runtime/config/secret_names.h"
#include "runtime/config/synonyms.h"

namespace weir {
namespace {

const ConfigField* find_field(const std::vector<ConfigField>& fields, const std::string& name) {
  for (const ConfigField& field : fields)
    if (field.name == name) return &field;
  return nullptr;
}

std::string unknown_key_hint(const std::vector<ConfigField>& fields, const std::string& key) {
  std::vector<std::string> names;
  for (const ConfigField& field : fields) names.push_back(field.name);
  std::string hint = known_as_hint(key, names);
  if (!hint.empty()) return hint;
  return names.empty() ? "nothing may be written here" : "known here: " + fmt::format("{}", fmt::join(names, ", "));
}

/// True if the key is likely meant for one that is not written: what follows from that one would be misleading.
bool stands_for_another(const std::vector<ConfigField>& fields, const Node& node, const std::string& key) {
  std::vector<std::string> absent;
  for (const ConfigField& field : fields)
    if (!node.find(field.name)) absent.push_back(field.name);
  return !nearest_name(key, absent).empty();
}

/// True for a mapping that has the defaults of its keys where it is not written.
bool has_defaults(const ConfigField& field) {
  return field.type == FieldType::kObject &&
         std::none_of(field.parts.begin(), field.parts.end(), [](const ConfigField& f) { return f.is_required; });
}

ConfigValue defaults_of(const ConfigField& field, const Location& mapping, Diagnostics& diagnostics) {
  Node empty;
  empty.kind = Node::Kind::kMapping;
  empty.location = mapping;
  ConfigValue value;
  value.location = mapping;
  value.typed = read(field.parts, empty, "'" + field.name + "'", diagnostics);
  return value;
}

/// Reads an entry into `data`. A value that is wrong is its default; where it has none and may be left out, it is.
void read_entry(const ConfigField& field, const Node& node, const Location& mapping, Config::Data& data,
                Diagnostics& diagnostics) {
  ValueReader reader(diagnostics);
  const std::size_t errors = diagnostics.errors();
  if (std::optional<ConfigValue> value = reader.read(field, node)) {
    value->given = true;
    data.values.emplace_back(field.name, std::move(*value));
    const bool good = diagnostics.errors() == errors;
    data.ok &= good;
    data.usable &= good || !field.makes_columns || field.type != FieldType::kList;  // an item is not there
    return;
  }
  data.ok = false;
  std::optional<ConfigValue> otherwise = field.default_text ? reader.read_default(field, mapping) : std::nullopt;
  if (has_defaults(field)) otherwise = defaults_of(field, mapping, diagnostics);
  if (otherwise) data.values.emplace_back(field.name, std::move(*otherwise));
  else data.usable &= !field.is_required && !field.makes_columns;
}

void read_entries(const std::vector<ConfigField>& fields, const Node& node, Config::Data& data, Diagnostics& diagnostics) {
  // A key that is not known here may be a misspelt one of a secret.
  const bool has_secrets = std::any_of(fields.begin(), fields.end(), [](const ConfigField& f) { return f.is_secret; });
  for (const Node::Entry& entry : node.entries) {
    const ConfigField* field = find_field(fields, entry.key.text);
    if (field && field->is_supported) {
      read_entry(*field, entry.value, node.place(), data, diagnostics);
      continue;
    }
    data.ok = false;
    if (has_secrets || names_a_secret(entry.key.text)) ValueReader(diagnostics).conceal(entry.value);
    if (field) {
      diagnostics.error(entry.key.location, fmt::format("'{}' is not supported yet", field->name));
      data.usable = false;
    } else {
      diagnostics.error(entry.key.location, fmt::format("unknown key {}", entry.key.shown()),
                        unknown_key_hint(fields, entry.key.text));
      data.usable &= !stands_for_another(fields, node, entry.key.text);
    }
  }
}

bool add_what_is_missing(const std::vector<ConfigField>& fields, const Node& node, const std::string& what,
                         Config::Data& data, Diagnostics& diagnostics) {
  ValueReader reader(diagnostics);
  bool ok = true;
  for (const ConfigField& field : fields) {
    if (node.find(field.name)) continue;
    if (field.is_required) {
      diagnostics.error(node.place(), fmt::format("{} needs '{}'", what, field.name), example_hint(field));
      ok = false;
    } else if (field.default_text) {
      if (std::optional<ConfigValue> value = reader.read_default(field, node.place()))
        data.values.emplace_back(field.name, std::move(*value));
    } else if (has_defaults(field)) {
      data.values.emplace_back(field.name, defaults_of(field, node.place(), diagnostics));
    }
  }
  return ok;
}

/// Of each group of keys exactly one (or at most one) may be written.
bool check_groups(const Declaration& declaration, const Node& node, const std::string& what, const Config::Data& data,
                  Diagnostics& diagnostics) {
  bool ok = true;
  const auto is_read = [&](const std::string& name) {
    return std::any_of(data.values.begin(), data.values.end(), [&](const auto& value) { return value.first == name; });
  };
  const auto check = [&](const std::vector<std::string>& group, bool needs_one) {
    // The one that is needed was written, and is wrong.
    if (needs_one && std::none_of(group.begin(), group.end(), is_read)) ok = false;
    const Node::Entry* first = nullptr;
    for (const Node::Entry& entry : node.entries) {
      if (std::find(group.begin(), group.end(), entry.key.text) == group.end()) continue;
      if (first) {
        diagnostics.error(entry.key.location,
                          fmt::format("'{}' and '{}' exclude one another", first->key.text, entry.key.text),
                          fmt::format("keep one of {}", listed(group)));
        ok = false;
      } else {
        first = &entry;
      }
    }
    if (needs_one && !first) {
      diagnostics.error(node.place(), fmt::format("{} needs one of {}", what, listed(group)));
      ok = false;
    }
  };
  for (const auto& group : declaration.exactly_one) check(group, true);
  for (const auto& group : declaration.at_most_one) check(group, false);
  return ok;
}

std::shared_ptr<Config::Data> read_mapping(const std::vector<ConfigField>& fields, const Node& node, const std::string& what,
                                           Diagnostics& diagnostics) {
  auto data = std::make_shared<Config::Data>();
  data->location = node.place();
  if (!node.is_mapping() && !node.is_empty()) {
    diagnostics.error(node.location, fmt::format("{} must be a mapping, not {}", what, node.kind_name()),
                      "write keys and values: { key: value }");
    data->ok = data->usable = false;
    return data;
  }
  read_entries(fields, node, *data, diagnostics);
  const bool complete = !node.reported && add_what_is_missing(fields, node, what, *data, diagnostics);
  data->ok &= complete;
  data->usable &= complete;
  return data;
}

}  // namespace

Config read(const std::vector<ConfigField>& fields, const Node& node, const std::string& what, Diagnostics& diagnostics) {
  return Config(read_mapping(fields, node, what, diagnostics));
}

Config read(const Declaration& declaration, const Node& node, const std::string& what, Diagnostics& diagnostics) {
  auto data = read_mapping(all_fields(declaration), node, what, diagnostics);
  const bool groups_good = check_groups(declaration, node, what, *data, diagnostics);
  data->ok &= groups_good;
  data->usable &= groups_good;
  return Config(std::move(data));
}

Config read(const Declaration& declaration, const Node& node, Diagnostics& diagnostics) {
  return read(declaration, node, fmt::format("{} {}", to_string(declaration.kind), declaration.name), diagnostics);
}

}  // namespace weir
