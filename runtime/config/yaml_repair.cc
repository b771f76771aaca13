#include <fmt/format.h>
#include <algorithm>
#include <optional>

#include "runtime/config/raw_walk.h"
#include "runtime/config/yaml_events.h"
#include "runtime/config/yaml_traps.h"
#include "runtime/expr/bind/other_notation.h"

namespace weir {
namespace {

constexpr std::size_t kLongestSuggestion = 100;

/// Counts round brackets in SQL, quoted parts left aside, and knows whether a text in single quotes is open.
class BracketCount {
 public:
  /// Goes on behind what was added before, with `raw` from `begin` to `end`.
  void add(std::string_view raw, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const char c = raw[i];
      if (quote_) {
        if (c == quote_) quote_ = '\0';
      } else if (c == '\'' || c == '"') {
        quote_ = c;
        is_text_ = c == '\'' && begins_text(raw, i);
      } else {
        open_ += c == '(' ? 1 : c == ')' ? -1 : 0;
      }
    }
  }
  bool is_open() const { return open_ > 0 || (quote_ && is_text_); }

 private:
  int open_ = 0;
  char quote_ = '\0';
  bool is_text_ = false;
};

/// Where an entry or item ends in the raw text, or nullopt where it cannot be the rest of a split value.
std::optional<std::size_t> end_of_remainder(const Node& part) {
  return part.is_scalar() ? std::optional(part.end) : std::nullopt;
}

/// Reports and repairs `first`, of which the value ends only at `end`.
void rejoin(Node& first, std::size_t end, const char* brackets, const std::shared_ptr<const SourceText>& source,
            Diagnostics& diagnostics) {
  const std::string whole(source->text().substr(first.location.offset(), end - first.location.offset()));
  const bool is_secret = diagnostics.hides(first.location);
  const std::string hint = is_secret                           ? std::string("quote the value")
                           : whole.size() > kLongestSuggestion ? std::string("put the whole expression into double quotes")
                                                               : "quote the expression: " + in_double_quotes(whole);
  diagnostics.error(
      first.location,
      fmt::format("inside {} a comma ends the value{}", brackets, is_secret ? std::string() : ": " + first.shown()), hint);
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
    count.add(source.text(), counted, end);
    counted = end;
    if (!count.is_open()) return n + 1;
  }
  return 0;
}

bool is_cut(const Node& value, const SourceText& source) {
  if (!value.is_plain() || value.reported) return false;
  BracketCount count;
  count.add(source.text(), value.location.offset(), value.end);
  return count.is_open();
}

/// How many keys without values after entry `i` are the rest of a secret that a comma cut: `{ password: hu,nter2 }`.
std::size_t count_rest_of_secret(const Node& mapping, std::size_t i, const Diagnostics& diagnostics) {
  const Node& value = mapping.entries[i].value;
  if (!value.is_plain() || value.reported || !diagnostics.hides(value.location)) return 0;
  std::size_t n = 0;
  for (std::size_t k = i + 1; k < mapping.entries.size(); ++k, ++n) {
    const Node::Entry& rest = mapping.entries[k];
    if (!rest.value.is_empty() || !diagnostics.hides(rest.key.location)) break;
  }
  return n;
}

}  // namespace

void rejoin_split_values(Node& collection, const std::shared_ptr<const SourceText>& source, Diagnostics& diagnostics) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < collection.entries.size(); ++i) {
    Node& value = collection.entries[i].value;
    const auto part = [&](std::size_t n) -> const Node& {
      const Node::Entry& entry = collection.entries[i + 1 + n];
      return entry.value.is_empty() ? entry.key : entry.value;
    };
    std::size_t n = count_rest_of_secret(collection, i, diagnostics);
    if (n != 0) end = collection.entries[i + n].key.end;
    else if (is_cut(value, *source)) n = count_remainder(value, collection.entries.size() - i - 1, *source, part, end);
    if (n == 0) continue;
    rejoin(value, end, "{ }", source, diagnostics);
    const auto next = collection.entries.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    collection.entries.erase(next, next + static_cast<std::ptrdiff_t>(n));
  }
  for (std::size_t i = 0; i < collection.items.size(); ++i) {
    Node& value = collection.items[i];
    if (!is_cut(value, *source)) continue;
    const auto part = [&](std::size_t n) -> const Node& { return collection.items[i + 1 + n]; };
    const std::size_t n = count_remainder(value, collection.items.size() - i - 1, *source, part, end);
    if (n == 0) continue;
    rejoin(value, end, "[ ]", source, diagnostics);
    const auto next = collection.items.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    collection.items.erase(next, next + static_cast<std::ptrdiff_t>(n));
  }
}

namespace {

/// Reports a blank that is none at an end of a key or value, and takes it away. One that indents a line would put all below
/// it into the wrong mapping: it ends the reading.
void trim_odd_blanks(Node& node, Diagnostics& diagnostics) {
  if (!node.is_plain() || node.reported) return;
  const LookAlike* first = look_alike_at(node.text);
  const std::string_view raw =
      node.location.source() ? node.location.source()->text().substr(0, node.location.offset()) : std::string_view();
  const std::size_t before = raw.find_last_not_of(' ');
  if (first && first->is_blank() && (before == std::string_view::npos || raw[before] == '\n'))
    throw YamlRefused{node.location.offset(), fmt::format("{} may not begin a line: YAML takes it for text", first->name),
                      first->meant.empty() ? "delete it" : "indent with blanks"};
  for (std::size_t at = 0; at < node.text.size();) {
    const LookAlike* odd = look_alike_at(std::string_view(node.text).substr(at));
    const bool is_at_end = odd && (at == 0 || at + odd->bytes.size() == node.text.size());
    if (!is_at_end || !odd->is_blank()) {
      ++at;
      continue;
    }
    diagnostics.error(node.location.at(at), fmt::format("{} stands here: YAML takes it for text", odd->name),
                      odd->meant.empty() ? "delete it" : "write a blank");
    node.text.erase(at, odd->bytes.size());
    while (node.text.starts_with(' ')) node.text.erase(0, 1);
    while (node.text.ends_with(' ')) node.text.pop_back();
    node.written = node.text;
  }
}

/// The length of the name at the beginning of a key that has no colon.
std::size_t name_length(std::string_view key) {
  std::size_t n = 0;
  while (n < key.size() && std::string_view(" \t:=").find(key[n]) == std::string_view::npos && !look_alike_at(key.substr(n)))
    ++n;
  return n;
}

/// Reports a key without a colon (`{ type generator }`, `type:generator`), and makes key and value of it. False: there is no
/// value.
bool repair_key(Node::Entry& entry, Diagnostics& diagnostics) {
  Node& key = entry.key;
  const std::size_t name = key.is_plain() ? name_length(key.text) : key.text.size();
  std::size_t value = name;
  while (value < key.text.size()) {
    const LookAlike* odd = look_alike_at(std::string_view(key.text).substr(value));
    const bool is_separator = std::string_view(" \t:=").find(key.text[value]) != std::string_view::npos;
    if (!is_separator && !(odd && (odd->is_blank() || odd->meant == ":"))) break;
    value += odd ? odd->bytes.size() : 1;
  }
  const std::string shown = "'" + key.text.substr(0, name) + "'";
  if (name == 0 || value >= key.text.size()) {
    diagnostics.error(key.location.at(name), fmt::format("a colon and a value are missing behind {}", key.shown()));
    return false;
  }
  const LookAlike* odd = look_alike_at(std::string_view(key.text).substr(name + (key.text[name] == ':')));
  const std::string text = odd                     ? fmt::format("{} stands behind {}", odd->name, shown)
                           : key.text[name] == ':' ? fmt::format("a blank is missing behind the colon of {}", shown)
                           : key.text[name] == '=' ? fmt::format("a colon is missing behind {}: YAML has no =", shown)
                                                   : fmt::format("a colon and a blank are missing behind {}", shown);
  diagnostics.error(key.location.at(name), text,
                    fmt::format("write {}: and the value behind a blank", key.text.substr(0, name)));
  entry.value.kind = Node::Kind::kScalar;
  entry.value.text = entry.value.written = key.text.substr(value);
  entry.value.location = key.location.at(value);
  entry.value.end = key.end;
  key.text.resize(name);
  key.written = key.text;
  return true;
}

}  // namespace

void repair_entries(Node& mapping, const std::shared_ptr<const SourceText>& source, Diagnostics& diagnostics) {
  const std::string_view raw = source->text();
  for (Node::Entry& entry : mapping.entries) {
    if (diagnostics.full()) return;
    trim_odd_blanks(entry.key, diagnostics);
    trim_odd_blanks(entry.value, diagnostics);
    if (!entry.value.is_empty() || entry.value.reported || entry.key.reported) continue;
    const std::size_t next = std::min(raw.find_first_not_of(" \t", entry.key.end), raw.size());
    const bool has_colon = next < raw.size() && raw[next] == ':';
    if (!has_colon) entry.value.reported = !repair_key(entry, diagnostics);
  }
}

}  // namespace weir
