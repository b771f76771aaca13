#include "runtime/config/yaml_traps.h"

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <algorithm>
#include <optional>

#include "runtime/config/raw_walk.h"
#include "runtime/data/cut_text.h"

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
  int line;  ///< of the offset
  bool reason_is(const char* text) const { return reason.starts_with(text); }
  bool in_flow() const { return !context.open.empty(); }
};

/// `write "..."` with the value that begins at `start`, unless it is long or was a secret.
std::string quoted_suggestion(const Failure& f, const char* words, std::size_t start) {
  const std::size_t end = intended_end(f.raw, start, f.in_flow());
  if (end - start > kLongestSuggestion) return fmt::format("{} the whole value in double quotes", words);
  return fmt::format("{}: {}", words, in_double_quotes(f.raw.substr(start, end - start)));
}

Found tab(const Failure& f) {
  const std::string_view line = f.source.line(f.line);
  const std::size_t begin = f.source.line_start(f.line);
  const std::size_t text = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t tab = line.substr(0, text).find('\t');
  if (tab != std::string_view::npos) return Explanation{begin + tab, "a tab may not indent a line", "indent with blanks"};
  if (line.substr(text).starts_with("\xC2\xA0"))
    return Explanation{begin + text, "a no-break space may not indent a line (U+00A0)", "indent with blanks"};
  return {};
}

Found comma(const Failure& f) {
  if (!f.context.split || !f.in_flow()) return {};
  const std::size_t start = *f.context.split;
  const char* brackets = f.raw[f.context.open.back()] == '{' ? "{ }" : "[ ]";
  const std::string_view part = f.raw.substr(start, std::min(f.raw.find(',', start), f.raw.size()) - start);
  return Explanation{start,
                     fmt::format("inside {} a comma ends the value: '{}'", brackets,
                                 first_characters(part, kLongestSuggestion)),
                     quoted_suggestion(f, "quote the expression", start)};
}

Found quotes(const Failure& f) {
  const std::size_t start = f.context.token;
  if (f.context.in_quote) return Explanation{start, "this quote is never closed", kQuoteHint};
  if (!f.context.quote_end || *f.context.quote_end > f.offset) return {};
  const std::size_t next = std::min(f.raw.find_first_not_of(" \t", *f.context.quote_end), f.raw.size());
  const bool is_done = next == f.raw.size() || std::string_view("\r\n,:}]#").find(f.raw[next]) != std::string_view::npos;
  if (is_done || next > f.offset) return {};
  const int first = f.source.position(start).line, last = f.source.position(*f.context.quote_end).line;
  if (first != last)
    return Explanation{start, fmt::format("this quoted value ends only in line {}, and text follows it there", last),
                       "is its closing quote missing?"};
  const std::string_view quoted = f.raw.substr(start, *f.context.quote_end - start);
  return Explanation{start,
                     fmt::format("text follows the closing quote of {}", first_characters(quoted, kLongestSuggestion)),
                     quoted_suggestion(f, "quote the whole expression", start)};
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
    case '@':
    case '`': reason = "YAML reserves it"; break;
    default: return {};
  }
  if (c == '-' && !f.reason_is(YAML::ErrorMsg::BLOCK_ENTRY)) return {};
  const bool is_star_key = f.raw.substr(start).starts_with("*:");
  return Explanation{
      start, fmt::format("a {} may not begin with {} unless it is quoted: {}", is_star_key ? "key" : "value", c, reason),
      is_star_key ? std::string("quote it: \"*\"") : quoted_suggestion(f, "quote it", start)};
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
  return Explanation{f.offset, fmt::format("a comma or {} is missing before this", bracket == '{' ? '}' : ']'),
                     "quote the value if this is part of it"};
}

Found indentation(const Failure& f) {
  if (!f.reason_is(YAML::ErrorMsg::END_OF_MAP) && !f.reason_is(YAML::ErrorMsg::END_OF_SEQ)) return {};
  return Explanation{f.offset, "this line does not belong to the mapping or list around it",
                     "keys of one mapping begin in the same column and end with a colon; items of a list begin with '- '"};
}

/// Masks what follows the name of something that looks like a secret in the line, which is about to be shown.
bool hide_likely_secret(const Failure& f, int line_number, const std::shared_ptr<const SourceText>& source,
                        Diagnostics& diagnostics) {
  std::string line(f.source.line(line_number));
  std::transform(line.begin(), line.end(), line.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const char* word : {"password", "passphrase", "secret", "token", "credential"}) {
    const std::size_t name = line.find(word);
    const std::size_t colon = name == std::string::npos ? name : line.find(':', name);
    if (colon == std::string::npos) continue;
    const std::size_t value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    diagnostics.hide(Location(source, f.source.line_start(line_number) + value), line.size() - value);
    return true;
  }
  return false;
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
  const Failure f{*source, raw, offset, reason, raw_context(raw, offset), source->position(looked_at).line};
  Found found;
  for (const auto trap : {tab, comma, quotes, special_beginning, colon, brackets, indentation})
    if (!found) found = trap(f);
  if (!found) found = Explanation{offset, "this is not YAML: " + reason, {}};
  if (hide_likely_secret(f, source->position(found->offset).line, source, diagnostics)) found->hint = "quote the value";
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

namespace {

/// Counts round brackets in SQL, quoted parts left aside.
class BracketCount {
 public:
  void add(std::string_view sql) {
    for (char c : sql) {
      if (quote_) {
        if (c == quote_) quote_ = '\0';
      } else if (c == '\'' || c == '"') {
        quote_ = c;
      } else {
        open_ += c == '(' ? 1 : c == ')' ? -1 : 0;
      }
    }
  }
  int open() const { return open_; }

 private:
  int open_ = 0;
  char quote_ = '\0';
};

int open_brackets(std::string_view sql) {
  BracketCount count;
  count.add(sql);
  return count.open();
}

/// Where an entry or item ends in the raw text, or nullopt where it cannot be the rest of a split value.
std::optional<std::size_t> end_of_remainder(const Node& part) {
  return part.is_scalar() ? std::optional(part.end) : std::nullopt;
}

/// Reports and repairs `first`, of which the value ends only at `end`.
void rejoin(Node& first, std::size_t end, const char* brackets, const std::shared_ptr<const SourceText>& source,
            Diagnostics& diagnostics) {
  const std::string whole(source->text().substr(first.location.offset(), end - first.location.offset()));
  const std::string hint = whole.size() > kLongestSuggestion ? std::string("put the whole expression into double quotes")
                                                             : "quote the expression: " + in_double_quotes(whole);
  diagnostics.error(first.location, fmt::format("inside {} a comma ends the value: {}", brackets, first.shown()), hint);
  first.reported = true;
  first.end = end;
}

constexpr std::size_t kMostParts = 50;  ///< of a value that commas cut

/// How many of the parts after `first` belong to it: until its brackets are closed. 0 if that never happens.
template <typename GetPart>
std::size_t count_remainder(const Node& first, std::size_t available, const SourceText& source, GetPart part,
                            std::size_t& end) {
  BracketCount count;
  std::size_t counted = first.location.offset();
  for (std::size_t n = 0; n < std::min(available, kMostParts); ++n) {
    const std::optional<std::size_t> part_end = end_of_remainder(part(n));
    if (!part_end || *part_end < counted) return 0;
    end = *part_end;
    count.add(source.text().substr(counted, end - counted));
    counted = end;
    if (count.open() <= 0) return n + 1;
  }
  return 0;
}

bool is_cut(const Node& value) { return value.is_plain() && !value.reported && open_brackets(value.text) > 0; }

}  // namespace

void rejoin_split_values(Node& collection, const std::shared_ptr<const SourceText>& source, Diagnostics& diagnostics) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < collection.entries.size(); ++i) {
    Node& value = collection.entries[i].value;
    if (!is_cut(value)) continue;
    const auto part = [&](std::size_t n) -> const Node& {
      const Node::Entry& entry = collection.entries[i + 1 + n];
      return entry.value.is_empty() ? entry.key : entry.value;
    };
    const std::size_t n = count_remainder(value, collection.entries.size() - i - 1, *source, part, end);
    if (n == 0) continue;
    rejoin(value, end, "{ }", source, diagnostics);
    const auto next = collection.entries.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    collection.entries.erase(next, next + static_cast<std::ptrdiff_t>(n));
  }
  for (std::size_t i = 0; i < collection.items.size(); ++i) {
    Node& value = collection.items[i];
    if (!is_cut(value)) continue;
    const auto part = [&](std::size_t n) -> const Node& { return collection.items[i + 1 + n]; };
    const std::size_t n = count_remainder(value, collection.items.size() - i - 1, *source, part, end);
    if (n == 0) continue;
    rejoin(value, end, "[ ]", source, diagnostics);
    const auto next = collection.items.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    collection.items.erase(next, next + static_cast<std::ptrdiff_t>(n));
  }
}

}  // namespace weir
