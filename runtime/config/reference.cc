#include "runtime/config/reference.h"

#include <fmt/format.h>
#include <string_view>

#include "runtime/config/common_fields.h"
#include "runtime/config/read_value.h"

namespace weir {
namespace {

constexpr std::size_t kWidth = 100;

/// Text broken at blanks, every line after the indentation.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out, line;
  const auto flush = [&] {
    if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && indent + line.size() + 1 + word.size() > kWidth) flush();
    if (!line.empty()) line += ' ';
    line += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  flush();
  return out;
}

std::string indented(std::string_view yaml, std::size_t indent) {
  std::string out;
  while (!yaml.empty()) {
    const std::size_t end = std::min(yaml.find('\n'), yaml.size());
    if (end > 0) out += std::string(indent, ' ');
    out += std::string(yaml.substr(0, end)) + "\n";
    yaml.remove_prefix(std::min(end + 1, yaml.size()));
  }
  return out;
}

std::string traits(const ConfigField& field) {
  std::string out = expectation(field);
  if (field.least) out += ", at least " + quantity(field, *field.least);
  if (field.most) out += ", at most " + quantity(field, *field.most);
  if (field.is_required) out += ", required";
  if (field.default_text) out += ", default " + (field.default_text->empty() ? std::string("\"\"") : *field.default_text);
  if (field.is_secret) out += ", secret";
  if (!field.is_supported) out += ", not supported yet";
  return out;
}

void add_field(std::string& out, const ConfigField& field, std::size_t indent) {
  out += fmt::format("{}{}  ({})\n", std::string(indent, ' '), field.name, traits(field));
  if (!field.text_doc.empty()) out += wrapped(field.text_doc, indent + 4);
  if (!field.text_example.empty()) out += indented("example: " + field.text_example, indent + 4);
  if (field.type == FieldType::kObject)
    for (const ConfigField& part : field.parts) add_field(out, part, indent + 4);
  if (field.type != FieldType::kOneOf) return;
  for (const ConfigField& form : field.parts) {
    if (form.type == FieldType::kObject)
      for (const ConfigField& part : form.parts) add_field(out, part, indent + 4);
    else if (!form.text_doc.empty()) add_field(out, form, indent + 4);
  }
}

}  // namespace

std::string reference_page(const Declaration& declaration) {
  std::string out = fmt::format("{} {}\n\n", to_string(declaration.kind), declaration.name);
  out += wrapped(declaration.summary, 2);
  if (!declaration.supported) return out + "\n  Not supported yet.\n";
  for (const std::string& caveat : declaration.caveats) out += wrapped("- " + caveat, 2);
  const std::vector<ConfigField> fields = all_fields(declaration);
  if (!fields.empty()) out += "\nKeys\n";
  for (const ConfigField& field : fields) add_field(out, field, 2);
  for (const auto& group : declaration.exactly_one) out += fmt::format("  Exactly one of {}.\n", listed(group));
  for (const auto& group : declaration.at_most_one) out += fmt::format("  At most one of {}.\n", listed(group));
  const bool has_format = declaration.kind == ComponentKind::kSource || declaration.kind == ComponentKind::kSink;
  if (has_format && !declaration.default_format.empty())
    out += fmt::format("  The format is {} where none is given.\n", declaration.default_format);
  for (const std::string& example : declaration.examples) out += "\nExample\n" + indented(example, 2);
  return out;
}

std::string component_list(const Catalogue& catalogue) {
  std::string out;
  for (ComponentKind kind : {ComponentKind::kConnection, ComponentKind::kSource, ComponentKind::kStep, ComponentKind::kSink,
                             ComponentKind::kFormat}) {
    out += fmt::format("{}{}s\n", out.empty() ? "" : "\n", to_string(kind));
    for (const Declaration& declaration : catalogue.all())
      if (declaration.kind == kind)
        out += fmt::format("  {:<12} {}{}\n", declaration.name, declaration.summary,
                           declaration.supported ? "" : " (not supported yet)");
  }
  return out;
}

}  // namespace weir
