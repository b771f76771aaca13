#include "runtime/config/read_value.h"

#include <fmt/format.h>
#include <algorithm>

#include "runtime/base/nearest.h"
#include "runtime/base/secrets.h"
#include "runtime/config/secret_names.h"
#include "runtime/config/synonyms.h"
#include "runtime/config/yaml.h"
#include "runtime/data/type.h"

namespace weir {
namespace {

bool is_scalar_type(FieldType type) {
  switch (type) {
    case FieldType::kText:
    case FieldType::kBoolean:
    case FieldType::kInteger:
    case FieldType::kNumber:
    case FieldType::kDuration:
    case FieldType::kSize:
    case FieldType::kTime:
    case FieldType::kEnumeration:
    case FieldType::kColumn:
    case FieldType::kConnection:
    case FieldType::kExpression: return true;
    default: return false;
  }
}

bool is_mapping_type(FieldType type) {
  return type == FieldType::kMap || type == FieldType::kExpressions || type == FieldType::kSchema ||
         type == FieldType::kSelection;
}

/// True if a mapping may be written for the field.
bool takes_mapping(const ConfigField& field) {
  if (field.type != FieldType::kOneOf) return is_mapping_type(field.type) || field.type == FieldType::kObject;
  return std::any_of(field.parts.begin(), field.parts.end(), takes_mapping);
}

/// A config that holds one value.
Config wrap(const std::string& name, ConfigValue value) {
  auto data = std::make_shared<Config::Data>();
  data->location = value.location;
  data->form = name;
  data->values.emplace_back(name, std::move(value));
  return Config(std::move(data));
}

}  // namespace

std::optional<ConfigValue> ValueReader::read(const ConfigField& field, const Node& node) {
  if (node.reported) return std::nullopt;
  if (field.is_secret) hide_secret(node);
  if (field.type == FieldType::kAny) {
    ConfigValue value;
    value.location = node.location;
    value.text = {node.text, node.location};
    value.is_scalar = node.is_scalar();
    value.typed = node;
    return value;
  }
  const bool is_empty_mapping = field.type == FieldType::kObject && node.is_empty();
  if (node.is_empty() && !is_empty_mapping) {
    diagnostics_.error(node.place(), fmt::format("'{}' has no value", field.name), example_hint(field));
    return std::nullopt;
  }
  switch (field.type) {
    case FieldType::kList: return list(field, node);
    case FieldType::kMap:
    case FieldType::kSchema:
    case FieldType::kExpressions: return map(field, node);
    case FieldType::kSelection: return selection(field, node);
    case FieldType::kObject: return object(field, node);
    case FieldType::kOneOf: return one_of(field, node);
    default: return scalar(field, node);
  }
}

std::optional<ConfigValue> ValueReader::read_default(const ConfigField& field, const Location& mapping) {
  const std::string& text = *field.default_text;
  Node node;
  if (text.starts_with('[') || text.starts_with('{') || text.starts_with('"')) {
    const auto source = std::make_shared<const SourceText>("default of " + field.name, text);
    if (std::optional<Node> parsed = parse_yaml(source, diagnostics_)) node = std::move(*parsed);
  } else {
    node.kind = Node::Kind::kScalar;
    node.text = node.written = text;
  }
  std::optional<ConfigValue> value = read(field, node);
  if (value) value->location = mapping;
  return value;
}

bool ValueReader::expect(const ConfigField& field, const Node& node, Node::Kind kind) {
  if (node.kind == kind) return true;
  diagnostics_.error(node.location, fmt::format("'{}' must be {}, not {}", field.name, expectation(field), node.kind_name()),
                     example_hint(field));
  return false;
}

/// What is no type is said at once, whatever else is wrong with the component; the text is kept.
void ValueReader::check_type(const NamedText& column) {
  Field field{column.name, Type::boolean()};
  if (const auto error = parse_type(column.text, field))
    diagnostics_.error(column.location.at(error->offset), error->text, error->hint);
}

void ValueReader::hide_secret(const Node& node) {
  for (const Node& item : node.items) hide_secret(item);
  for (const Node::Entry& entry : node.entries) hide_secret(entry.value);
  if (!node.is_scalar()) return;
  register_secret(node.text);
  conceal(node);
}

void ValueReader::conceal(const Node& node) {
  for (const Node& item : node.items) conceal(item);
  for (const Node::Entry& entry : node.entries) conceal(entry.value);
  if (node.is_scalar() && node.end > node.location.offset())
    diagnostics_.hide(node.location, node.end - node.location.offset());
}

std::optional<Config> ValueReader::element(const ConfigField& field, const std::string& name, const Node& node,
                                           std::vector<Text>& texts) {
  std::optional<ConfigValue> value = read(field, node);
  if (!value) return std::nullopt;
  value->given = true;
  if (value->is_scalar) texts.push_back(value->text);
  if (const Config* config = std::get_if<Config>(&value->typed)) return *config;
  return wrap(name, std::move(*value));
}

std::optional<ConfigValue> ValueReader::list(const ConfigField& field, const Node& node) {
  const bool is_one = field.may_be_one && (node.is_scalar() || (node.is_mapping() && takes_mapping(field.element())));
  if (!is_one && !expect(field, node, Node::Kind::kSequence)) return std::nullopt;
  ConfigValue out;
  out.location = node.location;
  ListValue values;
  bool any_wrong = false;
  const auto add = [&](const Node& item) {
    if (std::optional<Config> config = element(field.element(), field.element().name, item, values.texts))
      values.items.push_back(std::move(*config));
    else any_wrong = true;
  };
  if (is_one) add(node);
  for (const Node& item : node.items) add(item);
  // A wrong item, which is reported, hides none of the others.
  if (any_wrong && values.items.empty()) return std::nullopt;
  if (field.element().type == FieldType::kColumn && !columns_are_there_once(values.texts)) return std::nullopt;
  out.typed = std::move(values);
  return out;
}

bool ValueReader::columns_are_there_once(const std::vector<Text>& names) {
  bool ok = true;
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t before = 0; before < i; ++before) {
      if (names[before].text != names[i].text) continue;
      diagnostics_.error(names[i].location, fmt::format("column '{}' is named twice", names[i].text));
      ok = false;
      break;
    }
  return ok;
}

std::optional<ConfigValue> ValueReader::map(const ConfigField& field, const Node& node) {
  if (!expect(field, node, Node::Kind::kMapping)) return std::nullopt;
  ConfigValue out;
  out.location = node.location;
  MapValue values;
  bool ok = true;
  const bool is_expressions = field.type == FieldType::kExpressions;
  const ConfigField plain = field.type == FieldType::kMap ? field.element() : field::text("value");
  for (const Node::Entry& entry : node.entries) {
    ConfigField of_entry = is_expressions ? field::expression("expression") : plain;
    of_entry.name = entry.key.text;
    const auto& secrets = field.secret_keys;
    of_entry.is_secret |= std::find(secrets.begin(), secrets.end(), entry.key.text) != secrets.end();
    of_entry.is_secret |= field.type == FieldType::kMap && plain.type == FieldType::kText && names_a_secret(entry.key.text);
    std::vector<Text> texts;
    std::optional<Config> config = element(of_entry, plain.name, entry.value, texts);
    if (!config && is_expressions) {
      // The others are looked at all the same, and the name is not missing.
      values.texts.push_back({entry.key.text, entry.key.location, "", entry.value.place()});
      continue;
    }
    if (!config) {
      ok = false;
      continue;
    }
    if (!texts.empty()) values.texts.push_back({entry.key.text, entry.key.location, texts[0].text, texts[0].location});
    if (field.type == FieldType::kSchema) check_type(values.texts.back());
    values.pairs.push_back({entry.key.text, entry.key.location, std::move(*config)});
  }
  if (!ok) return std::nullopt;
  out.typed = std::move(values);
  return out;
}

std::optional<ConfigValue> ValueReader::selection(const ConfigField& field, const Node& node) {
  if (!expect(field, node, Node::Kind::kMapping)) return std::nullopt;
  ConfigValue out;
  out.location = node.location;
  std::vector<SelectItem> items;
  for (const Node::Entry& entry : node.entries) items.push_back(select_item(entry));
  out.typed = std::move(items);
  return out;
}

SelectItem ValueReader::select_item(const Node::Entry& entry) {
  SelectItem item;
  item.name = entry.key.text;
  item.name_location = entry.key.location;
  if (item.name == "*") {
    item.star = true;
    star(entry.value, item);
    return item;
  }
  if (std::optional<ConfigValue> value = read(field::expression(entry.key.text), entry.value))
    item.expression = std::move(value->text);
  return item;
}

/// `true`, or `{ except: [columns] }`.
void ValueReader::star(const Node& node, SelectItem& item) {
  if (node.reported || (node.is_scalar() && node.text == "true")) return;
  if (!node.is_mapping()) {
    diagnostics_.error(node.place(), "'*' must be true or { except: [columns] }",
                       "\"*\": true takes all columns of the input");
    return;
  }
  static const std::vector<ConfigField> fields = {field::columns("except").required().example("[note]")};
  const Config config = weir::read(fields, node, "'*'", diagnostics_);
  if (config.has("except")) item.except = config.texts("except");
}

std::optional<ConfigValue> ValueReader::object(const ConfigField& field, const Node& node) {
  if (!node.is_empty() && !expect(field, node, Node::Kind::kMapping)) return std::nullopt;
  ConfigValue out;
  out.location = node.location;
  Config config = weir::read(field.parts, node, fmt::format("'{}'", field.name), diagnostics_);
  if (!config.usable()) return std::nullopt;
  out.typed = std::move(config);
  return out;
}

const ConfigField* ValueReader::find_form(const ConfigField& field, const Node& node) {
  const ConfigField* fallback = nullptr;
  for (const ConfigField& form : field.parts) {
    const bool is_word = form.type == FieldType::kEnumeration && form.words.size() == 1;
    if (is_word && node.is_scalar() && node.text == form.words[0]) return &form;
    if (is_word) continue;
    const bool fits = (node.is_scalar() && (is_scalar_type(form.type) || form.may_be_one)) ||
                      (node.is_sequence() && form.type == FieldType::kList) ||
                      (node.is_mapping() && is_mapping_type(form.type));
    if (fits && !fallback) fallback = &form;
    if (node.is_mapping() && form.type == FieldType::kObject && node.find(form.parts.front().name)) return &form;
  }
  return fallback;
}

/// What stands for a choice that is wrong. Where a mapping has to be chosen that may also be left out, that it was written
/// still counts: it is there, but not usable and of no form, and what does not depend on it is looked at. Else nothing.
std::optional<ConfigValue> without_form(const ConfigField& field, const Node& node) {
  const auto is_mapping = [](const ConfigField& form) { return form.type == FieldType::kObject; };
  if (field.is_required || field.default_text || !std::all_of(field.parts.begin(), field.parts.end(), is_mapping))
    return std::nullopt;
  auto data = std::make_shared<Config::Data>();
  data->location = node.location;
  data->ok = data->usable = false;
  ConfigValue out;
  out.location = node.location;
  out.typed = Config(std::move(data));
  return out;
}

std::optional<ConfigValue> ValueReader::one_of(const ConfigField& field, const Node& node) {
  const ConfigField* form = find_form(field, node);
  if (!form) {
    std::vector<std::string> names;
    for (const ConfigField& f : field.parts) names.push_back(f.name);
    const bool is_one_key = node.is_mapping() && node.entries.size() == 1;
    const std::string written = node.is_scalar() ? node.text : is_one_key ? node.entries[0].key.text : std::string();
    const std::string shown = node.is_scalar() ? node.shown() : is_one_key ? node.entries[0].key.shown() : node.kind_name();
    const Location& where = is_one_key ? node.entries[0].key.location : node.location;
    const std::string hint = known_as_hint(written, names);
    diagnostics_.error(where, fmt::format("'{}' must be {}: {}", field.name, expectation(field), shown),
                       hint.empty() ? example_hint(field) : hint);
    return without_form(field, node);
  }
  if (!form->is_supported) {
    diagnostics_.error(node.location, fmt::format("'{}' is not supported yet: {}", field.name, form->name));
    return without_form(field, node);
  }
  ConfigField named = *form;
  if (form->type != FieldType::kObject && form->type != FieldType::kEnumeration) named.name = field.name;  // for messages
  std::optional<ConfigValue> value = read(named, node);
  if (!value) return without_form(field, node);
  ConfigValue out;
  out.location = node.location;
  out.text = value->text;
  out.is_scalar = value->is_scalar;
  value->given = true;
  const Config* config = std::get_if<Config>(&value->typed);
  // The key by which the form was told is there, or there is no such form.
  if (config && form->type == FieldType::kObject && !config->has(form->parts.front().name)) return without_form(field, node);
  out.typed = config ? with_form(*config, form->name) : wrap(form->name, std::move(*value));
  return out;
}

}  // namespace weir
