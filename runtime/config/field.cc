#include "runtime/config/field.h"

#include <utility>

#include "runtime/base/error.h"
#include "runtime/config/scalars.h"

namespace weir {
namespace {

ConfigField make(std::string name, FieldType type) {
  ConfigField field;
  field.name = std::move(name);
  field.type = type;
  return field;
}

ConfigField make(std::string name, FieldType type, std::vector<ConfigField> parts) {
  ConfigField field = make(std::move(name), type);
  field.parts = std::move(parts);
  return field;
}

/// A bound as the field itself would read it.
std::int64_t bound(const ConfigField& field, std::string_view text) {
  std::optional<std::int64_t> value;
  if (field.type == FieldType::kDuration) {
    if (const auto duration = parse_duration(text)) value = duration->micros;
  } else {
    value = field.type == FieldType::kSize ? parse_size(text) : parse_integer(text);
  }
  if (!value) throw Error(Blame::kBug, "the bound of field " + field.name + " does not read: " + std::string(text));
  return *value;
}

}  // namespace

ConfigField&& ConfigField::at_least(std::string_view value) && {
  least = bound(*this, value);
  return std::move(*this);
}

ConfigField&& ConfigField::at_most(std::string_view value) && {
  most = bound(*this, value);
  return std::move(*this);
}

namespace field {

ConfigField text(std::string name) { return make(std::move(name), FieldType::kText); }
ConfigField boolean(std::string name) { return make(std::move(name), FieldType::kBoolean); }
ConfigField integer(std::string name) { return make(std::move(name), FieldType::kInteger); }
ConfigField number(std::string name) { return make(std::move(name), FieldType::kNumber); }
ConfigField duration(std::string name) { return make(std::move(name), FieldType::kDuration); }
ConfigField size(std::string name) { return make(std::move(name), FieldType::kSize); }
ConfigField time(std::string name) { return make(std::move(name), FieldType::kTime); }

ConfigField enumeration(std::string name, std::vector<std::string> words) {
  ConfigField field = make(std::move(name), FieldType::kEnumeration);
  field.words = std::move(words);
  return field;
}

ConfigField column(std::string name) { return make(std::move(name), FieldType::kColumn); }
ConfigField connection(std::string name) { return make(std::move(name), FieldType::kConnection); }
ConfigField expression(std::string name) { return make(std::move(name), FieldType::kExpression); }
ConfigField expressions(std::string name) { return make(std::move(name), FieldType::kExpressions); }
ConfigField selection(std::string name) { return make(std::move(name), FieldType::kSelection); }
ConfigField schema(std::string name) { return make(std::move(name), FieldType::kSchema).decides_columns(); }

ConfigField list_of(std::string name, ConfigField element) {
  return make(std::move(name), FieldType::kList, {std::move(element)});
}
ConfigField map_of(std::string name, ConfigField element) {
  return make(std::move(name), FieldType::kMap, {std::move(element)});
}
ConfigField columns(std::string name) { return list_of(std::move(name), column("column")).or_one(); }
ConfigField texts(std::string name) { return map_of(std::move(name), text("value")); }

ConfigField object(std::string name, std::vector<ConfigField> fields) {
  return make(std::move(name), FieldType::kObject, std::move(fields));
}

ConfigField any(std::string name) { return make(std::move(name), FieldType::kAny); }

ConfigField one_of(std::string name, std::vector<ConfigField> forms) {
  return make(std::move(name), FieldType::kOneOf, std::move(forms));
}

ConfigField word(std::string word) {
  ConfigField field = make(word, FieldType::kEnumeration);
  field.words = {std::move(word)};
  return field;
}

ConfigField form(std::vector<ConfigField> fields) {
  std::string name = fields.front().name;
  return make(std::move(name), FieldType::kObject, std::move(fields));
}

}  // namespace field
}  // namespace weir
