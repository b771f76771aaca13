#include "runtime/expr/bind/other_notation.h"

#include <fmt/format.h>
#include <algorithm>
#include <vector>

#include "runtime/expr/syntax/syntax.h"

namespace weir {

const LookAlike* look_alike_at(std::string_view text) {
  static constexpr LookAlike kAll[] = {
      {"\u00A0", "a no-break space (U+00A0)", " "},
      {"\u202F", "a narrow no-break space (U+202F)", " "},
      {"\u2007", "a figure space (U+2007)", " "},
      {"\u2002", "an en space (U+2002)", " "},
      {"\u2003", "an em space (U+2003)", " "},
      {"\u2009", "a thin space (U+2009)", " "},
      {"\u3000", "an ideographic space (U+3000)", " "},
      {"\u2028", "a line separator (U+2028)", " "},
      {"\u200B", "a zero-width space (U+200B)", ""},
      {"\u200C", "a zero-width non-joiner (U+200C)", ""},
      {"\u200D", "a zero-width joiner (U+200D)", ""},
      {"\u2060", "a word joiner (U+2060)", ""},
      {"\u200E", "a left-to-right mark (U+200E)", ""},
      {"\uFEFF", "a byte order mark (U+FEFF)", ""},
      {"\u2018", "a typographic quote (U+2018)", "'"},
      {"\u2019", "a typographic quote (U+2019)", "'"},
      {"\u201A", "a typographic quote (U+201A)", "'"},
      {"\u201B", "a typographic quote (U+201B)", "'"},
      {"\u2032", "a prime (U+2032)", "'"},
      {"\u00B4", "an acute accent (U+00B4)", "'"},
      {"\u2039", "an angle quote (U+2039)", "'"},
      {"\u203A", "an angle quote (U+203A)", "'"},
      {"\uFF07", "a full-width quote (U+FF07)", "'"},
      {"\u201C", "a typographic quote (U+201C)", "\""},
      {"\u201D", "a typographic quote (U+201D)", "\""},
      {"\u201E", "a typographic quote (U+201E)", "\""},
      {"\u201F", "a typographic quote (U+201F)", "\""},
      {"\u2033", "a double prime (U+2033)", "\""},
      {"\u00AB", "an angle quote (U+00AB)", "\""},
      {"\u00BB", "an angle quote (U+00BB)", "\""},
      {"\uFF02", "a full-width quote (U+FF02)", "\""},
      {"\u2265", "the sign ≥", ">="},
      {"\u2264", "the sign ≤", "<="},
      {"\u2A7E", "the sign ⩾", ">="},
      {"\u2A7D", "the sign ⩽", "<="},
      {"\u2260", "the sign ≠", "<>"},
      {"\u21D2", "the sign ⇒", ">="},
      {"\u2192", "the sign →", "->"},
      {"\u00D7", "the sign ×", "*"},
      {"\u00F7", "the sign ÷", "/"},
      {"\u2212", "a minus sign (U+2212)", "-"},
      {"\u2010", "a hyphen (U+2010)", "-"},
      {"\u2011", "a no-break hyphen (U+2011)", "-"},
      {"\u2013", "an en dash (U+2013)", "-"},
      {"\u2014", "an em dash (U+2014)", "-"},
      {"\u2227", "the sign ∧", "and"},
      {"\u2228", "the sign ∨", "or"},
      {"\u00AC", "the sign ¬", "not"},
      {"\u2208", "the sign ∈", "in"},
      {"\u221E", "the sign ∞", "'infinity'::double"},
      {"\u2026", "an ellipsis (U+2026)", "..."},
      {"\uFF1A", "a full-width colon (U+FF1A)", ":"},
      {"\uFF1B", "a full-width semicolon (U+FF1B)", ";"},
      {"\uFF0C", "a full-width comma (U+FF0C)", ","},
      {"\u3001", "an ideographic comma (U+3001)", ","},
      {"\uFF0E", "a full-width full stop (U+FF0E)", "."},
      {"\uFF08", "a full-width parenthesis (U+FF08)", "("},
      {"\uFF09", "a full-width parenthesis (U+FF09)", ")"},
      {"\uFF3B", "a full-width bracket (U+FF3B)", "["},
      {"\uFF3D", "a full-width bracket (U+FF3D)", "]"},
      {"\uFF5B", "a full-width brace (U+FF5B)", "{"},
      {"\uFF5D", "a full-width brace (U+FF5D)", "}"},
      {"\uFF1D", "a full-width equals sign (U+FF1D)", "="},
      {"\uFF1E", "a full-width greater-than sign (U+FF1E)", ">"},
      {"\uFF1C", "a full-width less-than sign (U+FF1C)", "<"},
      {"\uFF01", "a full-width exclamation mark (U+FF01)", "!"},
      {"\uFF0B", "a full-width plus sign (U+FF0B)", "+"},
      {"\uFF0D", "a full-width hyphen (U+FF0D)", "-"},
      {"\uFF0A", "a full-width asterisk (U+FF0A)", "*"},
      {"\uFF0F", "a full-width slash (U+FF0F)", "/"},
      {"\uFF05", "a full-width percent sign (U+FF05)", "%"},
      {"\uFF5C", "a full-width vertical bar (U+FF5C)", "|"},
      {"\uFF06", "a full-width ampersand (U+FF06)", "&"},
  };
  if (text.empty() || static_cast<unsigned char>(text[0]) < 0x80) return nullptr;
  for (const LookAlike& l : kAll)
    if (text.starts_with(l.bytes)) return &l;
  return nullptr;
}

namespace expr {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Behind the quoted text, quoted name or comment that begins at `at`; `at` itself where none does.
std::size_t behind_quoted(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("--")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) {
    const std::size_t end = text.find("*/", at);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (rest.empty() || (rest[0] != '\'' && rest[0] != '"')) return at;
  const std::size_t close = text.find(rest[0], at + 1);
  return close == std::string_view::npos ? text.size() : close + 1;
}

/// What stands between the quote `open` and the next look-alike of a quote, at most a line's worth of it.
std::string_view inside(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size()) {
    const LookAlike* l = look_alike_at(text.substr(end));
    if ((l && l->is_quote()) || text[end] == '\'' || text[end] == '"') return text.substr(begin, end - begin);
    ++end;
  }
  return {};
}

ExpressionError typographic_quote(std::string_view text, std::size_t at, const LookAlike& quote) {
  constexpr std::size_t kLongest = 40;
  ExpressionError out{at, "these are typographic quotes, which are letters to SQL", {}};
  const std::string_view word = inside(text, at + quote.bytes.size());
  const std::size_t length = word.size() + 2 * quote.bytes.size();
  if (word.empty() || word.size() > kLongest) {
    out.hint = "write straight quotes: 'text', \"column\"";
  } else if (at == 0 && length >= text.size()) {
    out.hint = fmt::format("put the expression into straight quotes: \"{}\"", word);
  } else if (quote.meant == "'") {
    out.hint = fmt::format("write '{}'", word);
  } else {
    out.hint = fmt::format("write '{0}' for a text, \"{0}\" for the name of a column", word);
  }
  return out;
}

}  // namespace

std::optional<ExpressionError> other_notation(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t behind = behind_quoted(text, at); behind > at) {
      at = behind;
      continue;
    }
    if (text[at] == '`') {
      const std::size_t close = text.find('`', at + 1);
      const std::string_view name = close == std::string_view::npos ? "name" : text.substr(at + 1, close - at - 1);
      return ExpressionError{at, "backticks are not SQL", fmt::format("names are quoted with double quotes: \"{}\"", name)};
    }
    if (text.substr(at).starts_with("&&")) return ExpressionError{at, "&& is not SQL", "write and"};
    if (const LookAlike* l = look_alike_at(text.substr(at))) {
      if (l->is_quote()) return typographic_quote(text, at, *l);
      const std::string hint = l->meant.empty() ? "delete it"
                               : l->is_blank()  ? "write a blank"
                                                : fmt::format("write {}", l->meant);
      return ExpressionError{at, fmt::format("{} is not SQL", l->name), hint};
    }
    ++at;
  }
  return std::nullopt;
}

namespace {

/// The word that ends right before `at`, blanks left aside, in lower case; where it begins goes to `begin`.
std::string word_before(std::string_view text, std::size_t at, std::size_t& begin) {
  while (at > 0 && is_blank(text[at - 1])) --at;
  begin = at;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return lower(text.substr(begin, at - begin));
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(at, end - at);
}

/// How many ( are open at the end, quoted parts left aside.
int open_parentheses(std::string_view text) {
  int open = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t behind = behind_quoted(text, at);
    if (behind == at) open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    at = std::max(behind, at + 1);
  }
  return open;
}

bool is_type(std::string_view word) {
  static constexpr std::string_view kTypes[] = {"int",  "integer", "bigint",  "boolean",   "varchar",  "char", "float",
                                                "real", "decimal", "numeric", "timestamp", "interval", "time", "smallint"};
  return std::find(std::begin(kTypes), std::end(kTypes), word) != std::end(kTypes);
}

bool has_comparison_before(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t last = before.find_last_not_of(" \t\r\n");
  const bool is_behind_sign =
      last != std::string_view::npos && std::string_view("<>=!").find(before[last]) != std::string_view::npos;
  return before.find_first_of("<>=") != std::string_view::npos && !is_behind_sign;
}

std::string number_hint(std::string_view text, std::size_t at) {
  while (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.')) --at;
  const std::string_view number = word_at(text, at);
  if (number.starts_with("0x") || number.starts_with("0X")) return "write the number with decimal digits";
  if (number.find('_') != std::string_view::npos) return "write a number without _";
  static constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"ms", "milliseconds"}, {"s", "seconds"}, {"m", "minutes"}, {"h", "hours"}, {"d", "days"}};
  for (const auto& [unit, word] : kUnits) {
    const std::string_view digits = number.substr(0, number.size() - std::min(number.size(), unit.size()));
    if (number.ends_with(unit) && !digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit))
      return fmt::format("a span of time is written interval '{} {}'", digits, word);
  }
  return "a name cannot begin with a digit unless it is in double quotes";
}

std::string after_word_hint(std::string_view text, std::size_t at) {
  std::size_t begin = 0;
  const std::string before = word_before(text, at, begin);
  const std::string_view here = word_at(text, at);
  const char c = at < text.size() ? text[at] : '\0';
  if (before == "interval" && is_digit(c)) {
    std::size_t unit = at + here.size();
    while (unit < text.size() && is_blank(text[unit])) ++unit;
    return fmt::format("write interval '{} {}'", here, lower(word_at(text, unit)));
  }
  if (before == "rlike" || before == "regexp" || before == "contains" || before == "startswith" || before == "matches")
    return "write like 'abc%': % stands for any text, _ for one character";
  if (c == '(' && is_type(before)) return fmt::format("to convert a value write x::{}", before);
  if (c == '[' && before != "in") return "lists cannot be written in an expression";
  if (before == "in") return "a list stands in round brackets: in (1, 2)";
  if (before == "is") return "behind is stands null, true, false, unknown or distinct from; else write =";
  if (before.starts_with("current_") && c == '(') return "it has no parentheses: " + before;
  if (c == ')' && at > 0 && text[at - 1] == '(') {
    std::size_t unused = 0;
    const std::string function = word_before(text, at - 1, unused);
    return function.starts_with("current_") ? "it has no parentheses: " + function : "its arguments are missing";
  }
  return {};
}

/// True for a text whose last word is `?`.
bool is_placeholder(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n)");
  return last != std::string_view::npos && last > 0 && text[last] == '?' && is_blank(text[last - 1]);
}

/// True for a `case` whose `end` is missing, in an expression of lower case letters.
bool lacks_end(std::string_view text) {
  bool has_case = false, has_end = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t behind = behind_quoted(text, at);
    const std::string_view word = behind > at ? std::string_view() : word_at(text, at);
    has_case |= word == "case";
    has_end |= word == "end";
    at = std::max({behind, at + word.size(), at + 1});
  }
  return has_case && !has_end;
}

/// Where an operator stands in the place of a value: `price > and ok`, `id = 1 or = 2`.
std::string missing_operand_hint(std::string_view text, std::size_t at) {
  std::size_t unused = 0;
  const std::string before = word_before(text, at, unused), here = lower(word_at(text, at));
  const char c = at < text.size() ? text[at] : '\0';
  const bool is_sign = c != '\0' && std::string_view("<>=").find(c) != std::string_view::npos;
  if (is_sign && (before == "and" || before == "or" || before == "not"))
    return fmt::format("behind {} stands a whole condition: x = 1 {} x = 2", before, before == "not" ? "and" : before);
  if (here == "and" || here == "or") return fmt::format("a value is missing before {}", here);
  return {};
}

}  // namespace

std::string notation_hint(std::string_view text, std::size_t at, std::string_view message) {
  if (message.starts_with("unterminated quoted string")) return "close the text with ', and write '' for a ' within it";
  if (message.starts_with("unterminated quoted identifier")) return "close the name with \"; a text stands in single quotes";
  if (message.starts_with("unterminated /* comment")) return "close the comment with */";
  if (message.starts_with("trailing junk after numeric literal")) return number_hint(text, at);
  const char c = at < text.size() ? text[at] : '\0';
  const std::string_view rest = text.substr(std::min(at, text.size()));
  const std::string all = lower(text);
  if (std::string hint = after_word_hint(text, at); !hint.empty()) return hint;
  if (c == ')' && open_parentheses(text) < 0) return "there is no ( for it";
  if (c == '\0' && open_parentheses(text) > 0) return "a ) is missing";
  if ((c == '\0' || c == ')' || c == ',') && is_placeholder(text.substr(0, at)))
    return "an expression has no parameters: write the value in place of ?";
  if (c == '\0') return lacks_end(all) ? "a choice is written case when CONDITION then X else Y end" : "";
  if (std::string hint = missing_operand_hint(text, at); !hint.empty()) return hint;
  if (rest.starts_with("=>")) return "write >=";
  if (c == '=' && at > 0 && is_blank(text[at - 1])) {
    std::size_t before = at;
    while (before > 0 && is_blank(text[before - 1])) --before;
    if (before > 0 && std::string_view("<>!").find(text[before - 1]) != std::string_view::npos)
      return fmt::format("write {}= without a blank in it", text[before - 1]);
  }
  if (std::string_view("<>=").find(c) != std::string_view::npos && has_comparison_before(text, at))
    return text.find("||") < at ? "between conditions write or: || puts texts together"
                                : "comparisons do not chain: write 1 < x and x < 5";
  if (c == ':' && text.substr(0, at).find('?') != std::string_view::npos)
    return "write case when CONDITION then X else Y end";
  if (c == ':' || c == '$' || c == '{') return "write the name of a column alone, or ${NAME} for an environment variable";
  if (c == ';' || (at > 0 && text.find(';') < at)) return "an expression has no ;";
  if (c == ',' && all.find("cast(") != std::string::npos) return "write cast(x as int), or x::int";
  if (c == ',' && all.find("between") != std::string::npos) return "write between 1 and 2";
  const std::string here = lower(word_at(text, at));
  if (here == "to" && all.find("between") != std::string::npos) return "write between 1 and 2";
  const bool has_case = all.find("case") != std::string::npos;
  const bool is_of_case = has_case && (here == "then" || here == "when" || here == "else" || here == "end");
  if (is_of_case) return "a choice is written case when CONDITION then X else Y end";
  if (here == "as" && all.find("cast(") != std::string::npos) return "write cast(x as int), or x::int";
  if (is_type(here) && all.find("cast(") != std::string::npos) return "write cast(x as int), or x::int";
  const bool begins_value = is_word(c) || c == '\'' || c == '"';
  if (begins_value && at > 0 && !is_reserved_word(here)) return "is an operator missing before it, or a quote?";
  return {};
}

}  // namespace expr
}  // namespace weir
