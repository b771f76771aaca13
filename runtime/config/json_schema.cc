#include <nlohmann/json.hpp>

#include "runtime/config/common_fields.h"
#include "runtime/config/reference.h"

namespace weir {
namespace {

using Json = nlohmann::ordered_json;

Json mapping(const std::vector<ConfigField>& fields);

constexpr const char* kScalar[] = {"string", "number", "boolean", "null"};  // YAML's guess does not matter to the reader

/// A scalar that must look like `pattern` where an editor takes it for text.
Json scalar(const char* pattern) {
  Json out = {{"type", kScalar}};
  if (pattern) out["pattern"] = pattern;
  return out;
}

Json value(const ConfigField& field) {
  const std::string variable = R"(|.*\$\{.*)";
  switch (field.type) {
    case FieldType::kBoolean:
      return Json{{"anyOf", {Json{{"type", "boolean"}}, Json{{"type", "string"}, {"pattern", "\\$\\{"}}}}};
    case FieldType::kInteger: {
      Json number = {{"type", "integer"}};
      if (field.least) number["minimum"] = *field.least;
      if (field.most) number["maximum"] = *field.most;
      return Json{{"anyOf", {number, Json{{"type", "string"}, {"pattern", "\\$\\{|^-?[0-9]+$"}}}}};
    }
    case FieldType::kNumber: return scalar(nullptr);
    case FieldType::kDuration:
      return scalar(
          ("^(0|[0-9]+(us|ms|s|m|h|d)" + std::string(field.is_never_allowed ? "|never" : "") + variable + ")$").c_str());
    case FieldType::kSize: return scalar(("^(0|[0-9]+(B|KiB|MiB|GiB|TiB)" + variable + ")$").c_str());
    case FieldType::kEnumeration: return Json{{"enum", field.words}};
    case FieldType::kText:
    case FieldType::kTime:
    case FieldType::kColumn:
    case FieldType::kConnection:
    case FieldType::kExpression: return scalar(nullptr);
    case FieldType::kExpressions:
    case FieldType::kSchema: return Json{{"type", "object"}, {"additionalProperties", scalar(nullptr)}};
    case FieldType::kSelection: return Json{{"type", "object"}};
    case FieldType::kList: {
      Json list = {{"type", "array"}, {"items", value(field.element())}};
      return field.may_be_one ? Json{{"anyOf", {list, value(field.element())}}} : list;
    }
    case FieldType::kMap: return Json{{"type", "object"}, {"additionalProperties", value(field.element())}};
    case FieldType::kObject: return mapping(field.parts);
    case FieldType::kAny: return Json::object();
    case FieldType::kOneOf: break;
  }
  Json forms = Json::array();
  for (const ConfigField& form : field.parts)
    if (form.is_supported) forms.push_back(value(form));
  return Json{{"anyOf", forms}};
}

Json described(const ConfigField& field) {
  Json out = value(field);
  if (!field.text_doc.empty()) out["description"] = field.text_doc;
  if (field.default_text) out["default"] = *field.default_text;
  return out;
}

Json mapping(const std::vector<ConfigField>& fields) {
  Json properties = Json::object(), required = Json::array();
  for (const ConfigField& field : fields) {
    if (!field.is_supported) continue;
    properties[field.name] = described(field);
    if (field.is_required) required.push_back(field.name);
  }
  Json out = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) out["required"] = required;
  return out;
}

Json format(const Catalogue& catalogue) {
  Json forms = Json::array();
  forms.push_back(Json{{"enum", catalogue.names(ComponentKind::kFormat, true)}});
  for (const Declaration& declaration : catalogue.all()) {
    if (declaration.kind != ComponentKind::kFormat || !declaration.supported) continue;
    Json form = mapping(declaration.fields);
    form["properties"]["type"] = Json{{"const", declaration.name}};
    form["required"].push_back("type");
    forms.push_back(form);
  }
  return Json{{"anyOf", forms}, {"description", "The name of a format, or a mapping of type and options."}};
}

Json reference_to_input() {
  const Json one = {{"type", "string"}};
  return Json{{"anyOf", {one, Json{{"type", "array"}, {"items", one}}}},
              {"description", "The source or step to read, or a named output."}};
}

Json component(const Declaration& declaration, const Catalogue& catalogue) {
  Json out = mapping(all_fields(declaration));
  Json& properties = out["properties"];
  if (properties.contains("type")) properties["type"] = Json{{"const", declaration.name}};
  if (properties.contains("format")) properties["format"] = format(catalogue);
  if (properties.contains("from")) properties["from"] = reference_to_input();
  out["description"] = declaration.summary;
  return out;
}

Json section(ComponentKind kind, const Catalogue& catalogue) {
  Json forms = Json::array();
  for (const Declaration& declaration : catalogue.all())
    if (declaration.kind == kind && declaration.supported) forms.push_back(component(declaration, catalogue));
  return Json{{"type", "object"},
              {"propertyNames", {{"pattern", "^[A-Za-z][A-Za-z0-9_-]*$"}}},
              {"additionalProperties", {{"anyOf", forms}}}};
}

}  // namespace

std::string json_schema(const Catalogue& catalogue) {
  Json out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "weir pipeline"}};
  out.update(mapping(top_level_fields()));
  struct Section {
    const char* name;
    ComponentKind kind;
  };
  for (const Section& s : {Section{"connections", ComponentKind::kConnection}, Section{"sources", ComponentKind::kSource},
                           Section{"steps", ComponentKind::kStep}, Section{"sinks", ComponentKind::kSink}}) {
    const std::string description = out["properties"][s.name]["description"];
    out["properties"][s.name] = section(s.kind, catalogue);
    out["properties"][s.name]["description"] = description;
  }
  return out.dump(2) + "\n";
}

}  // namespace weir
