#include <fmt/format.h>
#include <algorithm>

#include "runtime/base/nearest.h"
#include "runtime/config/read_value.h"
#include "runtime/config/scalars.h"
#include "runtime/config/yaml_traps.h"
#include "runtime/expr/expression.h"

namespace weir {
namespace {

bool is_word(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80); };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// True for text whose single quotes were surely meant for SQL: a word, or a date or time.
bool looks_like_quoted_sql(std::string_view text) {
  if (is_word(text)) return true;
  const bool is_date = text.size() >= 10 && text[4] == '-' && text[7] == '-';
  return is_date && parse_time(text).has_value();
}

/// What to write for a value of the type that somebody got wrong.
std::string how_to_write(const ConfigField& field, std::string_view text) {
  switch (field.type) {
    case FieldType::kBoolean:
      for (std::string_view yes : {"yes", "on", "True", "TRUE", "Yes", "On", "1", "y"})
        if (text == yes) return "write true";
      for (std::string_view no : {"no", "off", "False", "FALSE", "No", "Off", "0", "n"})
        if (text == no) return "write false";
      return {};
    case FieldType::kInteger: return "write digits only, like 4";
    case FieldType::kNumber: return "for example 0.5";
    case FieldType::kDuration: return "write a whole number and a unit: 250ms, 10s, 5m, 1h, 7d";
    case FieldType::kSize: return "write a whole number and a unit: 64KiB, 4MiB, 1GiB";
    case FieldType::kTime: return "for example 2024-01-01T00:00:00Z, or milliseconds since 1970";
    case FieldType::kEnumeration: return nearest_hint(text, field.words);
    default: return {};
  }
}

}  // namespace

std::string quantity(const ConfigField& field, std::int64_t value) {
  if (field.type == FieldType::kDuration) return format_duration(Duration{value});
  if (field.type != FieldType::kSize) return fmt::format("{}", value);
  struct Unit {
    std::int64_t bytes;
    const char* name;
  };
  constexpr Unit kUnits[] = {{std::int64_t{1} << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}};
  for (const Unit& u : kUnits)
    if (value != 0 && value % u.bytes == 0) return fmt::format("{}{}", value / u.bytes, u.name);
  return fmt::format("{}B", value);
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return out;
}

std::string expectation(const ConfigField& field) {
  switch (field.type) {
    case FieldType::kText: return "text";
    case FieldType::kBoolean: return "true or false";
    case FieldType::kInteger: return "a whole number";
    case FieldType::kNumber: return "a number";
    case FieldType::kDuration: return field.is_never_allowed ? "a duration or never" : "a duration";
    case FieldType::kSize: return "a size";
    case FieldType::kTime: return "a time";
    case FieldType::kEnumeration: return listed(field.words);
    case FieldType::kColumn: return "the name of a column";
    case FieldType::kConnection: return "the name of a connection";
    case FieldType::kExpression: return "an expression";
    case FieldType::kExpressions: return "a mapping from names to expressions";
    case FieldType::kSelection: return "a mapping from names to expressions";
    case FieldType::kSchema: return "a mapping from columns to types";
    case FieldType::kList: return field.may_be_one ? expectation(field.element()) + " or a list" : "a list";
    case FieldType::kMap:
    case FieldType::kObject: return "a mapping";
    case FieldType::kAny: return "a value";
    case FieldType::kOneOf: break;
  }
  std::vector<std::string> forms;
  for (const ConfigField& form : field.parts) {
    if (!form.is_supported) continue;
    if (form.type == FieldType::kList && form.may_be_one) forms.push_back(expectation(form.element()));
    forms.push_back(form.type == FieldType::kObject ? fmt::format("{{{}: ...}}", form.name)
                    : form.type == FieldType::kList ? "a list"
                                                    : expectation(form));
  }
  return listed(forms);
}

std::string example_hint(const ConfigField& field) {
  if (field.text_example.empty() || field.text_example.find('\n') != std::string::npos) return {};
  return fmt::format("for example {}: {}", field.name, field.text_example);
}

std::string quoting_hint(const Text& expression) {
  const SourceText* source = expression.location.source();
  if (!source || expression.location.offset() >= source->text().size()) return {};
  const char first = source->text()[expression.location.offset()];
  if ((first != '\'' && first != '"') || !is_word(expression.text)) return {};
  return fmt::format("write \"'{}'\" for the text {}", expression.text, expression.text);
}

/// What the grammar has against an expression is said at once, whatever else is wrong with the component; binding it says the same
/// again, which is not kept.
void ValueReader::check_syntax(const Node& node) {
  std::vector<ExpressionError> errors;
  check_expression_syntax(node.text, errors);
  for (const ExpressionError& e : errors) {
    const std::string quoting = quoting_hint({node.text, node.location});
    diagnostics_.error(node.location.at(e.offset), e.text, quoting.empty() ? e.hint : quoting);
  }
}

bool ValueReader::check_expression(const Node& node, bool may_be_column) {
  if (node.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    diagnostics_.error(node.location, "an expression is missing here");
    return false;
  }
  if (node.style == ScalarStyle::kSingleQuoted && !may_be_column && looks_like_quoted_sql(node.text)) {
    const std::string column = is_word(node.text) ? fmt::format(", or {} for the column", node.text) : std::string();
    diagnostics_.error(node.location,
                       fmt::format("YAML takes the quotes of '{}' away: what is left is no text to SQL", node.written),
                       fmt::format("write \"'{}'\" for the text{}", node.written, column));
    return false;
  }
  if (!may_be_column) check_syntax(node);
  const SourceText* source = node.location.source();
  if (!node.is_plain() || !source) return true;
  const std::string_view raw = source->text();
  const std::size_t next = std::min(raw.find_first_not_of(" \t", node.end), raw.size());
  const std::string_view rest = raw.substr(next);
  if (next > node.end && (rest.starts_with("#>") || rest.starts_with("#-"))) {
    const std::size_t begin = node.location.offset();
    const std::size_t line_end = std::min(raw.find_first_of("\r\n", next), raw.size());
    diagnostics_.error(Location(node.location.shared_source(), next),
                       "a comment begins here and cuts the expression off: YAML takes # after a blank for one",
                       fmt::format("quote the expression: {}", in_double_quotes(raw.substr(begin, line_end - begin))));
    return false;
  }
  return true;
}

namespace {

/// Reads the text as the field's type into `value`; what has bounds also into `bounded`. False if it does not read.
bool parse_typed(const ConfigField& field, const std::string& text, ConfigValue& value,
                 std::optional<std::int64_t>& bounded) {
  const auto keep = [&](const auto& parsed) {
    if (parsed) value.typed = *parsed;
    return parsed.has_value();
  };
  switch (field.type) {
    case FieldType::kBoolean: return keep(parse_boolean(text));
    case FieldType::kInteger: return keep(bounded = parse_integer(text));
    case FieldType::kSize: return keep(bounded = parse_size(text));
    case FieldType::kNumber: return keep(parse_number(text));
    case FieldType::kTime: return keep(parse_time(text));
    case FieldType::kDuration: {
      if (field.is_never_allowed && text == "never") return true;
      const auto duration = parse_duration(text);
      if (duration) bounded = duration->micros;
      return keep(duration);
    }
    case FieldType::kEnumeration: return std::find(field.words.begin(), field.words.end(), text) != field.words.end();
    case FieldType::kColumn:
    case FieldType::kConnection: return !text.empty();
    default: return true;
  }
}

/// `at least 1`, or "" where the value is within its bounds.
std::string broken_bound(const ConfigField& field, const ConfigValue& value, std::optional<std::int64_t> bounded) {
  const double* number = std::get_if<double>(&value.typed);
  const auto is_below = [&](std::int64_t bound) {
    return number ? *number < static_cast<double>(bound) : bounded && *bounded < bound;
  };
  const auto is_above = [&](std::int64_t bound) {
    return number ? *number > static_cast<double>(bound) : bounded && *bounded > bound;
  };
  if (field.least && is_below(*field.least)) return "at least " + quantity(field, *field.least);
  if (field.most && is_above(*field.most)) return "at most " + quantity(field, *field.most);
  return {};
}

}  // namespace

std::optional<ConfigValue> ValueReader::scalar(const ConfigField& field, const Node& node) {
  if (!expect(field, node, Node::Kind::kScalar)) return std::nullopt;
  if (field.type == FieldType::kExpression && !check_expression(node, field.may_be_column)) return std::nullopt;
  ConfigValue value;
  value.location = node.location;
  value.is_scalar = true;
  value.text = {node.text, node.location};
  std::optional<std::int64_t> bounded;
  const bool reads = parse_typed(field, node.text, value, bounded);
  if (field.is_not_empty && node.text.empty()) {
    diagnostics_.error(node.location, fmt::format("'{}' is empty", field.name), example_hint(field));
    return std::nullopt;
  }
  const std::string must = reads ? broken_bound(field, value, bounded) : expectation(field);
  if (must.empty()) return value;
  const std::string shown = field.is_secret ? std::string("(secret)") : node.shown();
  diagnostics_.error(node.location, fmt::format("'{}' must be {}: {}", field.name, must, shown),
                     reads ? std::string() : how_to_write(field, node.text));
  return std::nullopt;
}

}  // namespace weir
