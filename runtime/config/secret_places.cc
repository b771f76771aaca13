#include "runtime/config/secret_places.h"

#include <algorithm>

#include "runtime/config/secret_names.h"

namespace weir {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_quote(char c) { return c == '"' || c == '\''; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

constexpr std::size_t kFarthestBracket = 4096;  ///< behind the one that it closes
constexpr std::size_t kLongestUser = 256;       ///< bytes of `user:password`

/// What a word may be a key of.
enum class KeyPlace {
  kNone,     ///< it stands within other text
  kBlock,    ///< at the beginning of a line
  kFlow,     ///< within { } or [ ]
  kComment,  ///< anywhere in a comment
};

class SecretScan {
 public:
  explicit SecretScan(std::string_view raw) : raw_(raw) {}

  std::vector<TextRange> run() {
    for (std::size_t at = 0; at < raw_.size();) {
      if (raw_[at] == '\n') line_ = at + 1, comment_ = false;
      if (raw_[at] == '#' && (at == line_ || is_blank(raw_[at - 1]))) comment_ = true;
      if (raw_[at] == '@') user_of_address(at);
      if (!is_word(raw_[at])) {
        ++at;
        continue;
      }
      const std::size_t begin = at;
      while (at < raw_.size() && is_word(raw_[at])) ++at;
      if (names_a_secret(raw_.substr(begin, at - begin))) key(begin, at);
      if (!out_.empty() && out_.back().end > at) go_on_behind(at = out_.back().end);
    }
    return std::move(out_);
  }

 private:
  void go_on_behind(std::size_t at) {
    const std::size_t before = raw_.substr(0, at).rfind('\n');
    if (before == std::string_view::npos || before < line_) return;
    line_ = before + 1;
    comment_ = false;
  }
  char peek(std::size_t at) const { return at < raw_.size() ? raw_[at] : '\n'; }
  std::size_t skip_blanks(std::size_t at) const {
    while (at < raw_.size() && is_blank(raw_[at])) ++at;
    return at;
  }
  std::size_t skip_space(std::size_t at) const {
    while (at < raw_.size() && (is_blank(raw_[at]) || raw_[at] == '\n')) ++at;
    return at;
  }
  std::size_t line_end(std::size_t at) const { return std::min(raw_.find('\n', at), raw_.size()); }
  std::size_t indentation(std::size_t line) const {
    std::size_t at = line;
    while (peek(at) == ' ' || peek(at) == '\t') ++at;
    return at - line;
  }

  void add(std::size_t begin, std::size_t end) {
    if (end <= begin) return;
    if (!out_.empty() && begin <= out_.back().end) out_.back().end = std::max(out_.back().end, end);
    else out_.push_back({begin, end});
  }

  KeyPlace place_of(std::size_t begin) const {
    if (comment_) return KeyPlace::kComment;
    std::size_t at = begin;
    while (at > 0 && (is_quote(raw_[at - 1]) || raw_[at - 1] == '\\')) --at;
    while (at > line_ && is_blank(raw_[at - 1])) --at;
    const bool is_item = at > line_ && (raw_[at - 1] == '-' || raw_[at - 1] == '?') && at < begin;
    if (at > line_ && !is_item)
      return std::string_view("{,[").find(raw_[at - 1]) == std::string_view::npos ? KeyPlace::kNone : KeyPlace::kFlow;
    if (is_item) return KeyPlace::kBlock;
    while (at > 0 && (is_blank(raw_[at - 1]) || raw_[at - 1] == '\n')) --at;
    return at > 0 && std::string_view("{,[").find(raw_[at - 1]) != std::string_view::npos ? KeyPlace::kFlow
                                                                                          : KeyPlace::kBlock;
  }

  void key(std::size_t begin, std::size_t end) {
    const KeyPlace place = place_of(begin);
    const bool is_password = names_a_password(raw_.substr(begin, end - begin));
    if (place == KeyPlace::kNone) {
      if (peek(end) == '=' && !is_blank(peek(end + 1))) add(end + 1, end_of_assigned(end + 1));
      return;
    }
    std::size_t at = end;
    while (is_quote(peek(at)) || peek(at) == '\\') ++at;
    const std::size_t behind_blanks = skip_blanks(at);
    const bool has_separator = peek(behind_blanks) == ':' || peek(behind_blanks) == '=';
    if (has_separator && peek(behind_blanks + 1) == ':') return;  // a cast within an expression
    if (!has_separator && (behind_blanks == at || place == KeyPlace::kComment || peek(behind_blanks) == '\n')) return;
    const std::size_t value = has_separator ? behind_blanks + 1 : behind_blanks;
    if (place == KeyPlace::kComment) return add(skip_blanks(value), line_end(value));
    if (!is_password && begins_mapping(value)) return;
    if (place == KeyPlace::kFlow) return add(skip_space(value), end_in_flow(skip_space(value)));
    add(skip_blanks(value), end_in_block(skip_blanks(value)));
  }

  /// True for `{ key: …` and for a block of `key: …`: a component may be called `token_counts`.
  bool begins_mapping(std::size_t at) const {
    at = skip_blanks(at);
    const bool is_block = peek(at) == '\n' || peek(at) == '#';
    if (!is_block && peek(at) != '{') return false;
    if (is_block) at = line_end(at) + 1;
    at = skip_space(is_block ? at : at + 1);
    while (is_quote(peek(at)) || peek(at) == '#') at = peek(at) == '#' ? skip_space(line_end(at)) : at + 1;
    while (at < raw_.size() && is_word(raw_[at])) ++at;
    while (is_quote(peek(at))) ++at;
    return peek(at) == ':' && (is_blank(peek(at + 1)) || peek(at + 1) == '\n');
  }

  /// `password=hunter2;` within a text.
  std::size_t end_of_assigned(std::size_t at) const {
    const std::string_view quotes = peek(at) == '\\' ? raw_.substr(at, 2) : raw_.substr(at, is_quote(peek(at)) ? 1 : 0);
    if (!quotes.empty()) return std::min({raw_.find(quotes, at + quotes.size()), line_end(at), raw_.size()});
    return std::min(raw_.find_first_of(" \t\r\n;,\"'", at), raw_.size());
  }

  /// Behind the closing quote of the one at `at`, or npos.
  std::size_t behind_quoted(std::size_t at) {
    const char quote = raw_[at];
    bool& is_never_closed = never_closed_[quote == '"'];
    if (is_never_closed) return std::string_view::npos;
    for (++at; at < raw_.size(); ++at) {
      if (quote == '"' && raw_[at] == '\\') ++at;
      else if (raw_[at] == quote && quote == '\'' && peek(at + 1) == quote) ++at;
      else if (raw_[at] == quote) return at + 1;
    }
    is_never_closed = true;
    return std::string_view::npos;
  }

  /// Behind the bracket that closes the one at `at`, or npos.
  std::size_t behind_brackets(std::size_t at) {
    int depth = 0;
    for (const std::size_t stop = std::min(at + kFarthestBracket, raw_.size()); at < stop; ++at) {
      const char c = raw_[at];
      if (is_quote(c) && std::string_view("{[, :").find(raw_[at - 1]) != std::string_view::npos) {
        const std::size_t end = behind_quoted(at);
        if (end == std::string_view::npos) return end;
        at = end - 1;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        return at + 1;
      }
    }
    return std::string_view::npos;
  }

  /// Behind what a quote or bracket at `at` encloses; `at` itself where there is none; npos where it is never closed.
  std::size_t behind_enclosed(std::size_t at) {
    const char c = peek(at);
    return is_quote(c) ? behind_quoted(at) : c == '{' || c == '[' ? behind_brackets(at) : at;
  }

  /// Until a comma behind which another key stands, or a bracket behind which nothing does that could be part of the value.
  std::size_t end_in_flow(std::size_t begin) {
    std::size_t at = behind_enclosed(begin);
    if (at == std::string_view::npos || has_no_flow_end_) return end_of_lines(begin);
    while (at < raw_.size()) {
      at = std::min(raw_.find_first_of(",}]", at), raw_.size());
      has_no_flow_end_ = at == raw_.size();
      if (has_no_flow_end_) return end_of_lines(begin);
      const std::size_t next = skip_blanks(at + 1);
      const bool ends = peek(at) == ',' ? is_end(next) || begins_entry(next) : is_end(next);
      if (ends) return at;
      ++at;
    }
    return raw_.size();
  }

  bool is_end(std::size_t at) const { return std::string_view("\n,}]#").find(peek(at)) != std::string_view::npos; }

  /// True if a colon and a blank come before the next comma or bracket.
  bool begins_entry(std::size_t at) const {
    const std::size_t stop = std::min(raw_.find_first_of(",}]\n", at), raw_.size());
    for (; at < stop; ++at)
      if (raw_[at] == ':' && (is_blank(peek(at + 1)) || peek(at + 1) == '\n' || peek(at + 1) == '{')) return true;
    return false;
  }

  std::size_t end_in_block(std::size_t begin) {
    const std::size_t at = behind_enclosed(begin);
    return end_of_lines(at == std::string_view::npos ? begin : at);
  }

  /// The end of the line, and of those below it that are indented deeper than the key's, are its items, or hold all of its
  /// value.
  std::size_t end_of_lines(std::size_t at) const {
    const std::size_t column = indentation(line_);
    std::size_t end = line_end(at);
    const std::size_t value = skip_blanks(at);
    bool may_be_below = value == end || peek(value) == '#';
    while (end < raw_.size()) {
      const std::size_t line = end + 1, own = indentation(line), text = line + own;
      const bool is_empty = peek(text) == '\n' || peek(text) == '\r';
      const bool is_item = own == column && peek(text) == '-' && is_blank(peek(text + 1));
      const bool is_text = may_be_below && raw_.substr(text, line_end(text) - text).find(':') == std::string_view::npos;
      if (!is_empty && own <= column && !is_item && !is_text) break;
      may_be_below &= is_empty;
      end = line_end(text);
    }
    return end;
  }

  /// `user:password` before the @ of an address.
  void user_of_address(std::size_t at) {
    const std::string_view before = raw_.substr(at - std::min(at, kLongestUser), std::min(at, kLongestUser));
    const std::size_t stop = before.find_last_of(" \t\r\n\"'/,{[");
    const std::string_view user = before.substr(stop == std::string_view::npos ? 0 : stop + 1);
    const std::size_t colon = user.find(':');
    if (colon != std::string_view::npos) add(at - user.size() + colon + 1, at);
  }

  std::string_view raw_;
  std::size_t line_ = 0;                   ///< where the line begins
  bool comment_ = false;                   ///< a comment has begun in it
  bool never_closed_[2] = {false, false};  ///< no ' or " closes one from here on
  bool has_no_flow_end_ = false;           ///< nor is there a comma or closing bracket
  std::vector<TextRange> out_;
};

}  // namespace

std::vector<TextRange> secret_places(std::string_view raw) { return SecretScan(raw).run(); }

}  // namespace weir
