#include "runtime/config/yaml_traps.h"

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <algorithm>
#include <optional>

#include "runtime/config/raw_walk.h"
#include "runtime/data/cut_text.h"
#include "runtime/expr/bind/other_notation.h"

namespace weir {
namespace {

constexpr std::size_t kLongestSuggestion = 100;

struct Explanation {
  std::size_t offset;
  std::string text;
  std::string hint;
};
using Found = std::optional<Explanation>;

/// The place at which the parser gave up, and what lies around it.
struct Failure {
  const SourceText& source;
  std::string_view raw;
  std::size_t offset;
  const std::string& reason;
  RawContext context;
  int line;           ///< of the offset
  std::string shown;  ///< the raw text without its secrets: what messages quote
  bool reason_is(const char* text) const { return reason.starts_with(text); }
  bool in_flow() const { return !context.open.empty(); }
};

/// `write "..."` with the value that begins at `start`, unless it is long or was a secret.
std::string quoted_suggestion(const Failure& f, const char* words, std::size_t start, bool in_flow) {
  const std::size_t end = intended_end(f.raw, start, in_flow);
  if (f.shown.compare(start, end - start, f.raw.substr(start, end - start)) != 0) return "quote the value";
  if (end - start > kLongestSuggestion) return fmt::format("{} the whole value in double quotes", words);
  return fmt::format("{}: {}", words, in_double_quotes(f.raw.substr(start, end - start)));
}

std::string quoted_suggestion(const Failure& f, const char* words, std::size_t start) {
  return quoted_suggestion(f, words, start, f.in_flow());
}

/// A line as the traps look at it.
struct Line {
  std::size_t begin = 0;   ///< offset of its first byte
  std::size_t text = 0;    ///< bytes of indentation
  std::string_view whole;  ///< without its end of line
  std::string_view content() const { return whole.substr(text); }
  bool is_empty() const { return text >= whole.size() || whole[text] == '#'; }
};

Line line_of(const Failure& f, int number) {
  Line line;
  line.whole = f.source.line(number);
  line.begin = f.source.line_start(number);
  line.text = std::min(line.whole.find_first_not_of(' '), line.whole.size());
  return line;
}

/// The number of the next line above with text in it; 0 if there is none.
int line_above(const Failure& f, int number) {
  do --number;
  while (number > 0 && line_of(f, number).is_empty());
  return number;
}

Found indenting_character(const Line& line) {
  const std::size_t text = std::min(line.whole.find_first_not_of(" \t"), line.whole.size());
  const std::size_t tab = line.whole.substr(0, text).find('\t');
  if (tab != std::string_view::npos)
    return Explanation{line.begin + tab, "a tab may not indent a line", "indent with blanks"};
  const LookAlike* odd = look_alike_at(line.whole.substr(text));
  if (odd && odd->is_blank())
    return Explanation{line.begin + text, fmt::format("{} may not indent a line: YAML takes it for text", odd->name),
                       "indent with blanks"};
  return {};
}

/// Looks at the line where the parser gave up, and at the one above it, which the parser may have read as the value's
/// beginning.
Found tab(const Failure& f) {
  if (Found found = indenting_character(line_of(f, f.line))) return found;
  const int above = line_above(f, f.line);
  return above > 0 ? indenting_character(line_of(f, above)) : std::nullopt;
}

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/// The length of the plain or quoted word at the beginning of a line; 0 where there is none.
std::size_t word_length(std::string_view content) {
  if (content.starts_with('"') || content.starts_with('\'')) {
    const std::size_t close = content.find(content[0], 1);
    return close == std::string_view::npos ? 0 : close + 1;
  }
  std::size_t n = 0;
  while (n < content.size() && is_key_character(content[n])) ++n;
  return n;
}

/// Where the value of a line `key: value` begins (its end where the value is missing); npos where the line has no key.
std::size_t value_of_line(std::string_view content) {
  std::size_t skipped = 0;
  while (content.substr(skipped).starts_with("- ")) skipped += 2;
  const std::size_t word = word_length(content.substr(skipped));
  const std::size_t colon = std::min(content.find_first_not_of(' ', skipped + word), content.size());
  if (word == 0 || colon >= content.size() || content[colon] != ':') return std::string_view::npos;
  if (colon + 1 < content.size() && content[colon + 1] != ' ' && content[colon + 1] != '\t') return std::string_view::npos;
  return std::min(content.find_first_not_of(" \t", colon + 1), content.size());
}

/// True if a line that begins so can only be more of an expression.
bool continues_expression(std::string_view content) {
  const std::size_t word = word_length(content);
  if (word == 0) return true;
  static constexpr std::string_view kWords[] = {"and", "or", "not", "then", "else",    "when",
                                                "end", "is", "in",  "like", "between", "case"};
  if (std::find(std::begin(kWords), std::end(kWords), content.substr(0, word)) != std::end(kWords)) return true;
  const std::size_t next = std::min(content.find_first_not_of(' ', word), content.size());
  return next < content.size() && std::string_view("<>+*/|!(,").find(content[next]) != std::string_view::npos;
}

/// True if an expression that ends so needs more.
bool needs_more(std::string_view value) {
  while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
  if (value.empty()) return false;
  if (std::string_view("+-*/|<>=,(").find(value.back()) != std::string_view::npos) return true;
  const std::size_t blank = value.rfind(' ');
  const std::string_view last = blank == std::string_view::npos ? value : value.substr(blank + 1);
  return last == "and" || last == "or" || last == "not" || last == "then" || last == "else" || last == "is" ||
         last == "in" || last == "like" || last == "when" || last == "between" || last == "case";
}

Explanation alias_as_key(std::size_t place) {
  return {place, "a key may not begin with * unless it is quoted: YAML takes it for an alias", "quote it: \"*\""};
}

/// Says what a line lacks that stands where a key is expected: a colon, the blank behind it, or its indentation.
Explanation missing_colon(const Failure& f, const Line& line, std::string_view value_above) {
  const std::string_view content = line.content();
  const std::size_t word = word_length(content);
  const bool is_more = continues_expression(content) || needs_more(value_above);
  const std::size_t begin = line.begin + line.text;
  const std::string key(f.shown, begin, word);
  const std::string_view rest = content.substr(word);
  const std::size_t next = std::min(rest.find_first_not_of(" \t"), rest.size());
  const std::string_view value = rest.substr(next);
  const LookAlike* odd = look_alike_at(value);
  if (content.starts_with("*:")) return alias_as_key(begin);
  for (const std::string_view sign : {"//", "--", "/*"})
    if (content.starts_with(sign)) return {begin, "this is no comment to YAML", "begin comments with #"};
  if (is_more)
    return {begin, "this line goes on with the value above, but is not indented deeper than its key",
            "indent it deeper, or write the expression in one line"};
  if (odd && odd->meant == ":")
    return {begin + word + next, fmt::format("{} is no colon", odd->name), fmt::format("write {}: and a blank", key)};
  if (value.starts_with('='))
    return {begin + word + next, "a colon is missing: YAML has no =", fmt::format("write {}: and the value", key)};
  if (value.starts_with(':')) {
    const LookAlike* blank = look_alike_at(value.substr(1));
    if (blank && blank->is_blank())
      return {begin + word + next + 1, fmt::format("{} stands behind this colon", blank->name), "write a blank"};
    return {begin + word + next + 1, "a blank is missing behind this colon",
            fmt::format("write {}: and the value behind a blank", key)};
  }
  if (value.empty()) return {begin + word, fmt::format("a colon is missing behind {}", key), fmt::format("write {}:", key)};
  const std::string shown(f.shown, begin + word + next, value.size());
  const bool is_short = shown.size() <= kLongestSuggestion && shown.find('*') == std::string::npos;
  return {begin + word, fmt::format("a colon and a blank are missing behind {}", key),
          is_short ? fmt::format("write {}: {}", key, shown) : fmt::format("write {}: and the value", key)};
}

/// A line without a key where one is expected: the parser took it for the beginning of the next line's key, and gave up
/// there.
Found line_without_key(const Failure& f) {
  if (f.in_flow() || !(f.reason_is(YAML::ErrorMsg::MAP_VALUE) || f.reason_is(YAML::ErrorMsg::END_OF_MAP))) return {};
  const bool has_key = value_of_line(line_of(f, f.line).content()) != std::string_view::npos;
  const int number = has_key ? line_above(f, f.line) : f.line;
  if (number == 0) return {};
  const Line line = line_of(f, number);
  if (line.content().starts_with("- ") || value_of_line(line.content()) != std::string_view::npos) return {};
  int above = line_above(f, number);
  while (above > 0 && value_of_line(line_of(f, above).content()) == std::string_view::npos) above = line_above(f, above);
  if (above == 0) return missing_colon(f, line, {});
  const Line key = line_of(f, above);
  const std::string_view value = key.content().substr(value_of_line(key.content()));
  const bool is_below = line.text > key.text;
  // Deeper than its key a line is more of that key's value, or its first one where nothing stands behind the colon.
  if (is_below && !(value.empty() && has_key && line_of(f, f.line).text >= line.text)) return {};
  return missing_colon(f, line, is_below ? std::string_view() : value);
}

/// A comment behind a value that goes on in the next line, or that hides a closing bracket.
Found comment(const Failure& f) {
  constexpr int kFarthest = 20;  ///< lines above
  const bool is_unfinished = f.in_flow() || f.reason_is(YAML::ErrorMsg::END_OF_MAP);
  if (!is_unfinished) return {};
  const int first = f.in_flow() ? f.source.position(f.context.open.back()).line : line_above(f, f.line);
  for (int number = f.line; number > 0 && number >= first && number > f.line - kFarthest; --number) {
    const Line line = line_of(f, number);
    const std::size_t sign = line.whole.find(" #", line.text);
    if (sign == std::string_view::npos || line.is_empty() || line.begin + sign >= f.offset) continue;
    const RawContext at = raw_context(f.raw, line.begin + sign + 1);
    if (at.in_quote) continue;
    const bool hides = f.in_flow() && line.whole.find_first_of("}]", sign) != std::string_view::npos;
    const std::string_view value = line.whole.substr(0, sign);
    if (!hides && !needs_more(value)) continue;
    return Explanation{
        line.begin + sign + 1,
        hides ? "a comment begins here and hides what closes the bracket: YAML takes # after a blank for one"
              : "a comment begins here, and a value does not go on behind it: YAML takes # after a blank for one",
        hides ? "quote the value if # is part of it" : "put the comment into a line of its own above"};
  }
  return {};
}

/// A comma within round brackets, or a comma or bracket within a text in single quotes, that ends a plain value in { } or [
/// ].
Found split_value(const Failure& f) {
  std::optional<std::size_t> start = f.context.split;
  char by = f.context.split_by;
  const char here = f.offset < f.raw.size() ? f.raw[f.offset] : ' ';
  if (!start && f.in_flow() && std::string_view("{}[]").find(here) != std::string_view::npos) {
    const RawContext behind = raw_context(f.raw, f.offset + 1);
    start = behind.split;
    by = behind.split_by;
  }
  if (!start || (by == ',' && !f.in_flow()) || (by != ',' && f.source.position(*start).line != f.line)) return {};
  const std::vector<std::size_t> open = raw_context(f.raw, *start).open;
  const char* brackets = !open.empty() && f.raw[open.back()] == '[' ? "[ ]" : "{ }";
  const std::string_view part =
      std::string_view(f.shown).substr(*start, std::min(f.raw.find(by, *start), f.raw.size()) - *start);
  return Explanation{*start,
                     fmt::format("inside {} a {} ends the value: '{}'", brackets,
                                 by == ',' ? "comma" : std::string_view(&by, 1), first_characters(part, kLongestSuggestion)),
                     quoted_suggestion(f, "quote the expression", *start, true)};
}

/// A backslash in double quotes that begins none of YAML's escapes: `"\d+"`, `"C:\data"`.
Found escape(const Failure& f) {
  using YAML::ErrorMsg::INVALID_ESCAPE, YAML::ErrorMsg::INVALID_HEX, YAML::ErrorMsg::INVALID_UNICODE;
  if (!f.reason_is(INVALID_ESCAPE) && !f.reason_is(INVALID_HEX) && !f.reason_is(INVALID_UNICODE)) return {};
  const std::size_t sign = f.raw.rfind('\\', f.offset == 0 ? 0 : f.offset - 1);
  if (sign == std::string_view::npos || sign + 1 >= f.raw.size()) return {};
  std::size_t length = 2;
  while (sign + length < f.raw.size() && (f.raw[sign + length] & 0xC0) == 0x80) ++length;
  return Explanation{
      sign, fmt::format("{} is no escape of a text in double quotes", std::string_view(f.shown).substr(sign, length)),
      "write \\\\ for a backslash, or put the value into single quotes"};
}

/// What follows a closing quote at once where a value was put into the quotes that it holds itself: `'who = 'x''`, `"it"s"`.
bool goes_on_within_quotes(const Failure& f, std::size_t end) {
  return end < f.raw.size() && std::string_view(" \t\r\n|=<>!:+-*/,)}]#").find(f.raw[end]) == std::string_view::npos;
}

/// True if `text` begins with a key and its colon: `type: kafka`, `"type": "kafka"`.
bool begins_with_key(std::string_view text) {
  const std::size_t word = word_length(text);
  const std::size_t colon = std::min(text.find_first_not_of(' ', word), text.size());
  return word > 0 && colon + 1 < text.size() && text[colon] == ':' && (text[colon + 1] == ' ' || text[colon + 1] == '"');
}

Found quotes(const Failure& f) {
  const std::size_t start = f.context.token;
  if (f.context.in_quote) return Explanation{start, "this quote is never closed", kQuoteHint};
  if (!f.context.quote_end || *f.context.quote_end > f.offset) return {};
  const std::size_t next = std::min(f.raw.find_first_not_of(" \t", *f.context.quote_end), f.raw.size());
  const bool is_cast = f.raw.substr(next).starts_with("::");
  const bool is_done =
      next == f.raw.size() || (!is_cast && std::string_view("\r\n,:}]#").find(f.raw[next]) != std::string_view::npos);
  if (is_done || next > f.offset) return {};
  const int first = f.source.position(start).line, last = f.source.position(*f.context.quote_end).line;
  if (first != last)
    return Explanation{start, fmt::format("this quoted value ends only in line {}, and text follows it there", last),
                       "is its closing quote missing?"};
  if (f.in_flow() && begins_with_key(f.raw.substr(next)))
    return Explanation{next,
                       fmt::format("a comma or {} is missing before this", f.raw[f.context.open.back()] == '{' ? '}' : ']'),
                       "write a comma between two keys"};
  const std::string_view quoted = std::string_view(f.shown).substr(start, *f.context.quote_end - start);
  const char* within = f.raw[start] == '"' ? "within double quotes write \\\" for \", or put the value into single quotes"
                                           : "within single quotes write '' for ', or put the value into double quotes";
  return Explanation{
      start, fmt::format("text follows the closing quote of {}", first_characters(quoted, kLongestSuggestion)),
      goes_on_within_quotes(f, *f.context.quote_end) ? within : quoted_suggestion(f, "quote the whole expression", start)};
}

/// A character that YAML gives a meaning of its own at the beginning of a value.
Found special_beginning(const Failure& f) {
  const std::size_t start = f.context.token;
  if (start >= f.raw.size()) return {};
  const char c = f.raw[start];
  const char* reason = nullptr;
  switch (c) {
    case '*': reason = "YAML takes it for an alias"; break;
    case '&': reason = "YAML takes it for an anchor"; break;
    case '!': reason = "YAML takes it for a tag"; break;
    case '|':
    case '>': reason = "YAML takes it for the beginning of a block of text"; break;
    case '%': reason = "YAML takes it for a directive"; break;
    case '-': reason = "YAML takes it for an item of a list"; break;
    case '?': reason = "YAML takes it for a key"; break;
    case '@':
    case '`': reason = "YAML reserves it"; break;
    default: return {};
  }
  const bool is_followed = start + 1 < f.raw.size() && f.raw[start + 1] == ' ';
  if (c == '?' && !is_followed) return {};
  if (c == '-' && !f.reason_is(YAML::ErrorMsg::BLOCK_ENTRY)) return {};
  if (f.raw.substr(start).starts_with("*:")) return alias_as_key(start);
  return Explanation{start, fmt::format("a value may not begin with {} unless it is quoted: {}", c, reason),
                     quoted_suggestion(f, "quote it", start)};
}

Found colon(const Failure& f) {
  if (!f.reason_is(YAML::ErrorMsg::MAP_VALUE)) return {};
  const std::string_view line = f.source.line(f.line);
  const std::size_t begin = f.source.line_start(f.line);
  const std::size_t text = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t first_colon = line.find(": ");
  if (first_colon == std::string_view::npos || begin + first_colon >= f.offset)
    return Explanation{begin + text,
                       "this line is indented deeper than the key before it, so YAML reads it as more of that key's value",
                       "begin both keys in the same column"};
  std::size_t value = first_colon + 2;
  while (value < line.size() && line[value] == ' ') ++value;
  return Explanation{f.offset, "a colon and a blank within a value: YAML takes it for another key",
                     quoted_suggestion(f, "quote the value", begin + value)};
}

Found brackets(const Failure& f) {
  if (f.reason_is(YAML::ErrorMsg::FLOW_END)) {
    const char c = f.offset < f.raw.size() ? f.raw[f.offset] : ' ';
    return Explanation{f.offset, fmt::format("nothing that {} could close is open here", c),
                       "is an opening bracket missing, or of the other kind?"};
  }
  if (!f.in_flow()) return {};
  const std::size_t open = f.context.open.back();
  const char bracket = f.raw[open];
  const int opened = f.source.position(open).line;
  if (f.offset >= f.raw.size())
    return Explanation{open, fmt::format("this {} is never closed", bracket),
                       fmt::format("add {}", bracket == '{' ? '}' : ']')};
  if (opened != f.line)
    return Explanation{
        open, fmt::format("this {} is not closed, or a comma is missing before line {}", bracket, f.line), {}};
  if (f.offset > 0 && f.raw[f.offset - 1] == ':')
    return Explanation{f.offset, "a blank is missing behind this colon", "write a blank"};
  return Explanation{f.offset, fmt::format("a comma or {} is missing before this", bracket == '{' ? '}' : ']'),
                     "quote the value if this is part of it"};
}

/// Text behind the bracket that closes a value: `[1, 2][1]`, `{x} || note`.
Found behind_bracket(const Failure& f) {
  if (f.in_flow()) return {};
  const Line line = line_of(f, f.line);
  const std::size_t value = value_of_line(line.content());
  if (value == std::string_view::npos || value >= line.content().size()) return {};
  const char open = line.content()[value];
  const std::size_t start = line.begin + line.text + value;
  if ((open != '[' && open != '{') || start >= f.offset) return {};
  const char c = f.offset < f.raw.size() ? f.raw[f.offset] : ' ';
  if (c == ',' || c == ';')
    return Explanation{f.offset,
                       fmt::format("a {} may not follow the bracket that closes a value, outside of other brackets",
                                   c == ',' ? "comma" : "semicolon"),
                       "delete it"};
  return Explanation{start,
                     fmt::format("a value that begins with {} is a {} to YAML, and text follows it", open,
                                 open == '[' ? "list" : "mapping"),
                     quoted_suggestion(f, "quote the whole expression", start)};
}

Found indentation(const Failure& f) {
  if (!f.reason_is(YAML::ErrorMsg::END_OF_MAP) && !f.reason_is(YAML::ErrorMsg::END_OF_SEQ)) return {};
  return Explanation{f.offset, "this line does not belong to the mapping or list around it",
                     "keys of one mapping begin in the same column and end with a colon; items of a list begin with '- '"};
}

}  // namespace

void explain_yaml_error(const std::shared_ptr<const SourceText>& source, std::size_t offset, const std::string& reason,
                        Diagnostics& diagnostics) {
  const std::string_view raw = source->text();
  offset = std::min(offset, raw.size());
  // Where the file just ends, the last line with text is the one to look at.
  std::size_t looked_at = offset;
  if (offset == raw.size())
    while (looked_at > 0 && (raw[looked_at - 1] == '\n' || raw[looked_at - 1] == '\r')) --looked_at;
  const Failure f{
      *source, raw, offset, reason, raw_context(raw, offset), source->position(looked_at).line, diagnostics.shown(*source)};
  Found found;
  for (const auto trap : {tab, split_value, escape, quotes, special_beginning, line_without_key, comment, colon, brackets,
                          behind_bracket, indentation})
    if (!found) found = trap(f);
  if (!found) found = Explanation{offset, "this is not YAML: " + reason, {}};
  diagnostics.error(Location(source, found->offset), found->text, found->hint);
}

std::string in_double_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace weir
