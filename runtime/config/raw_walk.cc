#include "runtime/config/raw_walk.h"

#include <algorithm>

namespace weir {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

class RawWalk {
 public:
  RawWalk(std::string_view raw, std::size_t place) : raw_(raw), place_(std::min(place, raw.size())) {}

  RawContext run() {
    while (at_ < place_) {
      if (expects_token_ && !is_blank(raw_[at_]) && raw_[at_] != '\n' && raw_[at_] != '\r') begin_token();
      else step();
    }
    if (expects_token_) out_.token = at_, out_.quote_end.reset();
    return std::move(out_);
  }

 private:
  bool in_flow() const { return !out_.open.empty(); }
  char peek(std::size_t ahead) const { return at_ + ahead < raw_.size() ? raw_[at_ + ahead] : '\n'; }
  bool ends_word(char c) const { return is_blank(c) || c == '\n' || c == '\r'; }

  void begin_token() {
    const char c = raw_[at_];
    if (c == '#') return skip_comment();
    if (c == ',' || c == '}' || c == ']') {
      expects_token_ = false;
      return;
    }
    out_.token = at_;
    out_.quote_end.reset();
    out_.is_value = after_colon_;
    brackets_ = 0;
    in_text_ = false;
    if (c == '-' && ends_word(peek(1)) && !in_flow()) {
      after_colon_ = true;
      ++at_;
      return;
    }
    if (c == '{' || c == '[') return open_flow();
    expects_token_ = false;
    after_colon_ = false;
    if (c == '\'' || c == '"') return skip_quoted(c);
    if ((c == '|' || c == '>') && !in_flow() && out_.is_value && !is_word_after_indicator()) skip_block();
  }

  void open_flow() {
    out_.open.push_back(at_++);
    expects_token_ = true;
    after_colon_ = false;
  }

  /// False for `|`, `>-`, `|2+`; true for `|| x` and `> 5`.
  bool is_word_after_indicator() const {
    std::size_t i = at_ + 1;
    while (i < raw_.size() && (raw_[i] == '+' || raw_[i] == '-' || (raw_[i] >= '0' && raw_[i] <= '9'))) ++i;
    while (i < raw_.size() && is_blank(raw_[i])) ++i;
    return i < raw_.size() && raw_[i] != '\n' && raw_[i] != '\r' && raw_[i] != '#';
  }

  void skip_comment() {
    while (at_ < place_ && raw_[at_] != '\n') ++at_;
  }

  void skip_quoted(char quote) {
    std::size_t i = at_ + 1;
    for (; i < raw_.size(); ++i) {
      if (quote == '"' && raw_[i] == '\\') ++i;
      else if (raw_[i] == quote && quote == '\'' && i + 1 < raw_.size() && raw_[i + 1] == quote) ++i;
      else if (raw_[i] == quote) break;
    }
    if (i >= place_) {
      out_.in_quote = true;
      at_ = place_;
      return;
    }
    at_ = i + 1;
    out_.quote_end = at_;
  }

  void skip_block() {
    const std::size_t line = line_start(at_);
    const std::size_t indent = raw_.find_first_not_of(' ', line) - line;
    while (at_ < place_) {
      while (at_ < place_ && raw_[at_] != '\n') ++at_;
      if (at_ >= place_) return;
      const std::size_t text = std::min(raw_.find_first_not_of(' ', at_ + 1), raw_.size());
      const bool is_empty = text < raw_.size() && (raw_[text] == '\n' || raw_[text] == '\r');
      if (!is_empty && text - (at_ + 1) <= indent) return;
      ++at_;
    }
  }

  std::size_t line_start(std::size_t i) const {
    const std::size_t before = i == 0 ? std::string_view::npos : raw_.rfind('\n', i - 1);
    return before == std::string_view::npos ? 0 : before + 1;
  }

  void step() {
    const char c = raw_[at_];
    if (c == '\n') {
      if (!in_flow()) expects_token_ = true, after_colon_ = false;
    } else if (c == '#' && at_ > 0 && ends_word(raw_[at_ - 1])) {
      return skip_comment();
    } else if (c == '\'' && in_flow() && !out_.quote_end) {
      in_text_ = !in_text_ && begins_text(raw_, at_);
    } else if (c == ':' && (ends_word(peek(1)) || (in_flow() && (peek(1) == ',' || peek(1) == '}')))) {
      expects_token_ = after_colon_ = true;
    } else if (c == '(') {
      ++brackets_;
    } else if (c == ')') {
      if (brackets_ > 0) --brackets_;
    } else if (in_flow()) {
      step_in_flow(c);
    }
    ++at_;
  }

  void step_in_flow(char c) {
    if (std::string_view(",{}[]").find(c) == std::string_view::npos) return;
    const bool cuts_text = in_text_;
    in_text_ = false;
    if (cuts_text && !out_.split) out_.split = out_.token, out_.split_by = c;
    if (c == ',') {
      if (brackets_ > 0 && !out_.quote_end) out_.split = out_.token, out_.split_by = c;
      expects_token_ = true;
      after_colon_ = false;
    } else if (c == '}' || c == ']') {
      out_.open.pop_back();
      if (!cuts_text) out_.split.reset();
      expects_token_ = false;
    } else if (c == '{' || c == '[') {
      out_.open.push_back(at_);
      expects_token_ = true;
      after_colon_ = false;
    }
  }

  std::string_view raw_;
  std::size_t place_;
  std::size_t at_ = 0;
  bool expects_token_ = true;
  bool after_colon_ = false;
  int brackets_ = 0;      ///< ( open in the current token
  bool in_text_ = false;  ///< a text in single quotes is open in the current plain token
  RawContext out_;
};

}  // namespace

bool begins_text(std::string_view raw, std::size_t at) {
  const char before = at > 0 ? raw[at - 1] : ' ';
  const bool is_word = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') ||
                       (before >= '0' && before <= '9') || before == '_' || (before & 0x80) != 0;
  const std::size_t close = raw.find('\'', at + 1);
  return !is_word && close < raw.find('\n', at);
}

RawContext raw_context(std::string_view raw, std::size_t place) { return RawWalk(raw, place).run(); }

std::size_t intended_end(std::string_view raw, std::size_t start, bool in_flow) {
  int brackets = 0;
  char quote = '\0';
  std::size_t i = start;
  for (; i < raw.size() && raw[i] != '\n'; ++i) {
    const char c = raw[i];
    if (quote) {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == ')') {
      brackets += c == '(' ? 1 : -1;
    } else if (c == '#' && i > start && is_blank(raw[i - 1]) && !in_flow) {
      break;
    } else if (in_flow && brackets <= 0 && (c == ',' || c == '}' || c == ']')) {
      break;
    }
  }
  while (i > start && (is_blank(raw[i - 1]) || raw[i - 1] == '\r')) --i;
  return i;
}

}  // namespace weir
