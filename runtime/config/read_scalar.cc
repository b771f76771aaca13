#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>

#include "runtime/base/nearest.h"
#include "runtime/config/read_value.h"
#include "runtime/config/scalars.h"
#include "runtime/config/synonyms.h"
#include "runtime/config/yaml_traps.h"
#include "runtime/expr/expression.h"

namespace weir {
namespace {

bool is_word(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80); };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// True for text whose single quotes were surely meant for SQL: a date or time, which would be a subtraction without them. A
/// word may be a column or a keyword: programs that write YAML quote `true` and `null` so.
bool looks_like_quoted_sql(std::string_view text) {
  const bool is_date = text.size() >= 10 && text[4] == '-' && text[7] == '-';
  return is_date && parse_time(text).has_value();
}

/// A way to write a unit: `factor` of the unit `written`.
struct UnitSpelling {
  std::string_view spelling;  ///< in lower case
  std::string_view written;
  double factor;
};
constexpr UnitSpelling kDurationUnits[] = {{"us", "us", 1},
                                           {"micros", "us", 1},
                                           {"microseconds", "us", 1},
                                           {"ms", "ms", 1},
                                           {"msec", "ms", 1},
                                           {"msecs", "ms", 1},
                                           {"millis", "ms", 1},
                                           {"millisecond", "ms", 1},
                                           {"milliseconds", "ms", 1},
                                           {"s", "s", 1},
                                           {"sec", "s", 1},
                                           {"secs", "s", 1},
                                           {"second", "s", 1},
                                           {"seconds", "s", 1},
                                           {"m", "m", 1},
                                           {"min", "m", 1},
                                           {"mins", "m", 1},
                                           {"minute", "m", 1},
                                           {"minutes", "m", 1},
                                           {"h", "h", 1},
                                           {"hr", "h", 1},
                                           {"hrs", "h", 1},
                                           {"hour", "h", 1},
                                           {"hours", "h", 1},
                                           {"d", "d", 1},
                                           {"day", "d", 1},
                                           {"days", "d", 1},
                                           {"w", "d", 7},
                                           {"week", "d", 7},
                                           {"weeks", "d", 7}};
constexpr UnitSpelling kSizeUnits[] = {{"b", "B", 1},    {"byte", "B", 1}, {"bytes", "B", 1}, {"k", "KiB", 1},
                                       {"kb", "KiB", 1}, {"ki", "KiB", 1}, {"kib", "KiB", 1}, {"m", "MiB", 1},
                                       {"mb", "MiB", 1}, {"mi", "MiB", 1}, {"mib", "MiB", 1}, {"g", "GiB", 1},
                                       {"gb", "GiB", 1}, {"gi", "GiB", 1}, {"gib", "GiB", 1}, {"t", "TiB", 1},
                                       {"tb", "TiB", 1}, {"ti", "TiB", 1}, {"tib", "TiB", 1}};

/// The next smaller unit and how many of it make one; for fractions.
std::pair<std::string_view, double> smaller_unit(std::string_view unit) {
  if (unit == "d") return {"h", 24};
  if (unit == "h") return {"m", 60};
  if (unit == "m") return {"s", 60};
  if (unit == "s") return {"ms", 1000};
  if (unit == "ms") return {"us", 1000};
  if (unit == "TiB") return {"GiB", 1024};
  if (unit == "GiB") return {"MiB", 1024};
  if (unit == "MiB") return {"KiB", 1024};
  return {"", 1};
}

/// `write 5m` for `5 minutes`, `1.5h`, `64MB`; `otherwise` where the text is no number with a unit.
std::string quantity_hint(std::string_view text, std::span<const UnitSpelling> units, const char* otherwise) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  constexpr double kLargest = 1e9;
  if (error != std::errc() || number < 0 || number > kLargest) return otherwise;
  std::string unit;
  for (const char c : text.substr(static_cast<std::size_t>(rest - text.data())))
    if (c != ' ') unit += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  for (const UnitSpelling& u : units) {
    if (u.spelling != unit) continue;
    number *= u.factor;
    std::string_view written = u.written;
    while (number != std::floor(number)) {
      const auto [smaller, count] = smaller_unit(written);
      if (smaller.empty()) return otherwise;
      number *= count;
      written = smaller;
    }
    return fmt::format("write {:.0f}{}", number, written);
  }
  return otherwise;
}

/// `write 4000` for `4_000`, `4,000`, `4k`, `4.0`, `4e3`.
std::string whole_number_hint(std::string_view text) {
  constexpr const char* kOtherwise = "write digits only, like 4";
  constexpr double kLargest = 1e15;
  std::string digits;
  for (const char c : text)
    if (c != '_' && c != ',' && c != ' ') digits += c;
  const double factor = digits.ends_with('k') || digits.ends_with('K') ? 1e3 : digits.ends_with('M') ? 1e6 : 1;
  if (factor != 1) digits.pop_back();
  const std::optional<double> number = parse_number(digits);
  if (!number || *number * factor != std::floor(*number * factor) || std::abs(*number * factor) > kLargest)
    return kOtherwise;
  return fmt::format("write {:.0f}", *number * factor);
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
    case FieldType::kInteger: return whole_number_hint(text);
    case FieldType::kNumber: return "for example 0.5";
    case FieldType::kDuration:
      return quantity_hint(text, kDurationUnits, "write a whole number and a unit: 250ms, 10s, 5m, 1h, 7d");
    case FieldType::kSize: return quantity_hint(text, kSizeUnits, "write a whole number and a unit: 64KiB, 4MiB, 1GiB");
    case FieldType::kTime: return "for example 2024-01-01T00:00:00Z, or milliseconds since 1970";
    case FieldType::kEnumeration: return known_as_hint(text, field.words);
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
  const auto add = [&](std::string form) {
    if (std::find(forms.begin(), forms.end(), form) == forms.end()) forms.push_back(std::move(form));
  };
  for (const ConfigField& form : field.parts) {
    if (!form.is_supported) continue;
    if (form.type == FieldType::kList && form.may_be_one) add(expectation(form.element()));
    add(form.type == FieldType::kObject ? fmt::format("{{{}: ...}}", form.name)
        : form.type == FieldType::kList ? "a list"
                                        : expectation(form));
  }
  return listed(forms);
}

std::string example_hint(const ConfigField& field) {
  if (field.text_example.empty() && field.type == FieldType::kObject) {
    std::vector<std::string> keys;
    for (const ConfigField& part : field.parts)
      if (part.is_supported) keys.push_back(part.name);
    return keys.empty()
               ? std::string()
               : fmt::format("it is a mapping with the key{} {}", keys.size() == 1 ? "" : "s", fmt::join(keys, ", "));
  }
  if (field.text_example.empty() || field.text_example.find('\n') != std::string::npos) return {};
  return fmt::format("for example {}: {}", field.name, field.text_example);
}

std::string quoting_hint(const Text& expression) {
  const SourceText* source = expression.location.source();
  if (!source || expression.location.offset() >= source->text().size()) return {};
  const char first = source->text()[expression.location.offset()];
  const bool is_sign = expression.text.find_first_not_of("+-*/<>=~!@#%^&|?.,:;$_ ") == std::string::npos;
  if ((first != '\'' && first != '"') || !(is_word(expression.text) || is_sign)) return {};
  return fmt::format("{}write \"'{}'\" for the text {}", first == '\'' ? "YAML takes the quotes away: " : "",
                     expression.text, expression.text);
}

/// What the grammar has against an expression is said at once, whatever else is wrong with the component; binding it says
/// the same again, which is not kept.
void ValueReader::check_syntax(const Node& node) {
  std::vector<ExpressionError> errors;
  check_expression_syntax(node.text, errors);
  for (const ExpressionError& e : errors)
    diagnostics_.error(node.location.at(e.offset), e.text,
                       e.hint.empty() ? quoting_hint({node.text, node.location}) : e.hint);
}

bool ValueReader::check_expression(const Node& node, bool may_be_column) {
  if (node.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    diagnostics_.error(node.location, "an expression is missing here");
    return false;
  }
  if (node.style == ScalarStyle::kSingleQuoted && !may_be_column && looks_like_quoted_sql(node.text)) {
    diagnostics_.error(node.location,
                       fmt::format("YAML takes the quotes of '{}' away: what is left is no text to SQL", node.written),
                       fmt::format("write \"'{}'\" for the text", node.written));
    return false;
  }
  if (is_cut_by_comment(node, may_be_column)) return false;
  if (!may_be_column) check_syntax(node);
  return true;
}

/// True, and reported, where a comment behind a plain value took a part of it: JSON operators, and what does not parse
/// without it.
bool ValueReader::is_cut_by_comment(const Node& node, bool may_be_column) {
  const SourceText* source = node.location.source();
  if (!node.is_plain() || !source) return false;
  const std::string_view raw = source->text();
  const std::size_t next = std::min(raw.find_first_not_of(" \t", node.end), raw.size());
  const std::string_view rest = raw.substr(next);
  if (next == node.end || !rest.starts_with('#')) return false;
  std::vector<ExpressionError> errors;
  if (!may_be_column) check_expression_syntax(node.text, errors);
  if (!rest.starts_with("#>") && !rest.starts_with("#-") && errors.empty()) return false;
  const std::size_t begin = node.location.offset();
  const std::size_t line_end = std::min(raw.find_first_of("\r\n", next), raw.size());
  diagnostics_.error(Location(node.location.shared_source(), next),
                     "a comment begins here and cuts the expression off: YAML takes # after a blank for one",
                     fmt::format("quote the expression: {}", in_double_quotes(raw.substr(begin, line_end - begin))));
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

/// `at most 1024` where the text is a number (with a unit) that is only too large or too small to be read; else "".
std::string unreadable_bound(const ConfigField& field, std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const std::size_t begin = is_negative, unit = std::min(text.find_first_not_of("0123456789", begin), text.size());
  if (unit == begin) return {};
  const bool is_whole = field.type == FieldType::kInteger && unit == text.size();
  const bool has_unit =
      unit < text.size() && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(unit), text.end(),
                                        [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  const bool is_unit = (field.type == FieldType::kDuration && parse_duration("1" + std::string(text.substr(unit)))) ||
                       (field.type == FieldType::kSize && parse_size("1" + std::string(text.substr(unit))));
  if (field.type == FieldType::kNumber && text.find_first_not_of("0123456789.eE+-") == std::string_view::npos) {
    const std::string copy(text);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (*end != '\0' || std::isfinite(value)) return {};
    return field.most ? "at most " + quantity(field, *field.most) : std::string("at most 1.7976931348623157e308");
  }
  if (!is_whole && !(has_unit && is_unit)) return {};
  if (is_negative)
    return "at least " + quantity(field, field.least.value_or(is_whole ? std::numeric_limits<std::int64_t>::min() : 0));
  if (field.most) return "at most " + quantity(field, *field.most);
  if (field.type == FieldType::kDuration) return "at most 106751991d";
  if (field.type == FieldType::kSize) return "at most 8388607TiB";
  return fmt::format("at most {}", std::numeric_limits<std::int64_t>::max());
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
  const std::string beyond = reads ? std::string() : unreadable_bound(field, node.text);
  const std::string must = reads ? broken_bound(field, value, bounded) : !beyond.empty() ? beyond : expectation(field);
  if (must.empty()) return value;
  const std::string shown = field.is_secret ? std::string("(secret)") : node.shown();
  diagnostics_.error(node.location, fmt::format("'{}' must be {}: {}", field.name, must, shown),
                     reads || !beyond.empty() ? std::string() : how_to_write(field, node.text));
  return std::nullopt;
}

}  // namespace weir
