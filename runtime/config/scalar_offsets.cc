#include "runtime/config/scalar_offsets.h"

#include <algorithm>
#include <string>

namespace weir {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void append_utf8(std::string& out, unsigned long c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

struct Escape {
  std::string bytes;
  std::size_t length = 0;  ///< of the raw text; 0: no escape
};

/// The escape of a double-quoted scalar (YAML 1.2, 5.7) at `raw[i]`.
Escape escape_at(std::string_view raw, std::size_t i) {
  if (i + 1 >= raw.size()) return {};
  const char c = raw[i + 1];
  if (c == 'x' || c == 'u' || c == 'U') {
    const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
    unsigned long code = 0;
    for (std::size_t k = 0; k < digits; ++k) {
      const char d = i + 2 + k < raw.size() ? raw[i + 2 + k] : ' ';
      const std::string_view hex = "0123456789abcdef";
      const std::size_t digit = hex.find(d >= 'A' && d <= 'F' ? static_cast<char>(d - 'A' + 'a') : d);
      if (digit == std::string_view::npos) return {};
      code = code * 16 + digit;
    }
    Escape out{{}, 2 + digits};
    append_utf8(out.bytes, code);
    return out;
  }
  struct Simple {
    char name;
    const char* bytes;
  };
  static constexpr Simple kSimple[] = {
      {'a', "\a"}, {'b', "\b"},  {'t', "\t"},       {'\t', "\t"},      {'n', "\n"},           {'v', "\v"},
      {'f', "\f"}, {'r', "\r"},  {'e', "\x1b"},     {' ', " "},        {'"', "\""},           {'\'', "'"},
      {'/', "/"},  {'\\', "\\"}, {'N', "\xC2\x85"}, {'_', "\xC2\xA0"}, {'L', "\xE2\x80\xA8"}, {'P', "\xE2\x80\xA9"}};
  if (c == '0') return {std::string(1, '\0'), 2};
  for (const Simple& s : kSimple)
    if (s.name == c) return {s.bytes, 2};
  return {};
}

/// Two cursors, one in the raw text and one in the value, and what they found so far.
class Walk {
 public:
  Walk(std::string_view raw, ScalarStyle style, std::string_view value) : raw_(raw), style_(style), value_(value) {}

  ScalarOffsets run(std::size_t start) {
    at_ = first_content_byte(start);
    bool agrees = true;
    while (agrees && done_ < value_.size()) agrees = step();
    out_.exact = agrees;
    if (!agrees) out_.map.add(done_, at_, true);
    out_.map.add(value_.size(), at_, true);
    out_.end = agrees ? end_of_scalar() : at_;
    return std::move(out_);
  }

 private:
  std::size_t first_content_byte(std::size_t start) const {
    switch (style_) {
      case ScalarStyle::kPlain: return start;
      case ScalarStyle::kSingleQuoted:
      case ScalarStyle::kDoubleQuoted: return std::min(start + 1, raw_.size());
      case ScalarStyle::kBlock: return std::min(std::min(raw_.find('\n', start), raw_.size() - 1) + 1, raw_.size());
    }
    return start;
  }

  bool step() {
    if (style_ == ScalarStyle::kDoubleQuoted && peek() == '\\') return step_over_escape();
    if (style_ == ScalarStyle::kSingleQuoted && peek() == '\'') return step_over_doubled_quote();
    if (at_ >= raw_.size()) return false;
    if (is_space(raw_[at_])) return step_over_space();
    if (raw_[at_] != value_[done_]) return false;
    out_.map.add(done_++, at_++, false);
    return true;
  }

  bool step_over_escape() {
    const char next = at_ + 1 < raw_.size() ? raw_[at_ + 1] : '\0';
    if (next == '\n' || next == '\r') {  // the end of the line is not part of the value, nor is the next one's indentation
      ++at_;
      while (at_ < raw_.size() && is_space(raw_[at_])) ++at_;
      return true;
    }
    const Escape escape = escape_at(raw_, at_);
    if (escape.length == 0 || value_.substr(done_, escape.bytes.size()) != escape.bytes) return false;
    out_.map.add(done_, at_, true);
    done_ += escape.bytes.size();
    at_ += escape.length;
    return true;
  }

  bool step_over_doubled_quote() {
    if (at_ + 1 >= raw_.size() || raw_[at_ + 1] != '\'' || value_[done_] != '\'') return false;
    out_.map.add(done_++, at_, true);
    at_ += 2;
    return true;
  }

  /// White space, and the ends of lines within it, which stand for other white space or for none.
  bool step_over_space() {
    std::size_t raw_end = at_;
    while (raw_end < raw_.size() && is_space(raw_[raw_end])) ++raw_end;
    const std::size_t value_end = std::min(done_ + value_bytes_for(raw_.substr(at_, raw_end - at_)), value_.size());
    std::size_t value_tail = value_end, raw_tail = raw_end;
    const bool is_end_of_block = style_ == ScalarStyle::kBlock && value_end == value_.size();
    while (!is_end_of_block && value_tail > done_ && raw_tail > at_ && value_[value_tail - 1] == raw_[raw_tail - 1])
      --value_tail, --raw_tail;
    for (std::size_t i = done_; i < value_end; ++i)
      if (!is_space(value_[i])) return false;
    if (value_tail > done_) out_.map.add(done_, at_, true);
    if (value_tail < value_end) out_.map.add(value_tail, raw_tail, false);
    done_ = value_end;
    if (!is_end_of_block) at_ = raw_end;  // else what follows is not the scalar's
    return true;
  }

  /// How much of the value a run of white space in the raw text stands for.
  std::size_t value_bytes_for(std::string_view space) const {
    if (style_ == ScalarStyle::kBlock) {  // nothing is escaped: all white space that is there
      std::size_t n = 0;
      while (done_ + n < value_.size() && is_space(value_[done_ + n])) ++n;
      return n;
    }
    const auto lines = static_cast<std::size_t>(std::count(space.begin(), space.end(), '\n'));
    return lines == 0 ? space.size() : lines == 1 ? 1 : lines - 1;
  }

  std::size_t end_of_scalar() {
    if (style_ != ScalarStyle::kSingleQuoted && style_ != ScalarStyle::kDoubleQuoted) return at_;
    const char quote = style_ == ScalarStyle::kSingleQuoted ? '\'' : '"';
    const std::size_t close = raw_.find(quote, at_);
    out_.closed = close != std::string_view::npos;
    return out_.closed ? close + 1 : raw_.size();
  }

  char peek() const { return at_ < raw_.size() ? raw_[at_] : '\0'; }

  std::string_view raw_;
  ScalarStyle style_;
  std::string_view value_;
  std::size_t at_ = 0;    ///< in the raw text
  std::size_t done_ = 0;  ///< in the value
  ScalarOffsets out_;
};

}  // namespace

ScalarOffsets map_scalar(std::string_view raw, std::size_t start, ScalarStyle style, std::string_view value) {
  return Walk(raw, style, value).run(start);
}

ScalarStyle style_at(std::string_view raw, std::size_t start) {
  const char c = start < raw.size() ? raw[start] : '\0';
  if (c == '\'') return ScalarStyle::kSingleQuoted;
  if (c == '"') return ScalarStyle::kDoubleQuoted;
  if (c == '|' || c == '>') return ScalarStyle::kBlock;
  return ScalarStyle::kPlain;
}

}  // namespace weir
