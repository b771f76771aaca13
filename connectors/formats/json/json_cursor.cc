#include "connectors/formats/json/json_cursor.h"

#include <bitset>

#include "runtime/data/cut_text.h"

namespace weir {

namespace {

constexpr std::size_t kShown = 60;  // bytes of a value in a message

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// The end of `true`, `false` or `null` at `p`, or null.
const char* end_of_word(const char* p) {
  const char* end = nullptr;
  if (load4(p) == load4("true") || load4(p) == load4("null")) end = p + 4;
  else if (load4(p) == load4("fals") && p[4] == 'e') end = p + 5;
  return end && is_json_delimiter(*end) ? end : nullptr;
}

bool is_structural(char c) { return is_json_delimiter(c) || c == ':' || c == '{' || c == '['; }

/// The bytes up to the next delimiter, for showing them; at least one character.
std::string shown_scalar(const char* p) {
  const char* end = p + 1;
  if (!is_structural(*p))
    while (!is_structural(*end) && static_cast<std::size_t>(end - p) <= kShown) ++end;
  while ((*end & 0xc0) == 0x80) ++end;
  return cut_for_message({p, static_cast<std::size_t>(end - p)}, kShown);
}

}  // namespace

std::string describe_json(const char* p) {
  switch (*p) {
    case '{': return "an object";
    case '[': return "an array";
    case '"': {
      const char* end = p + 1;
      while (*end != '"') end += *end == '\\' ? 2 : 1;
      return "text \"" + cut_for_message({p + 1, static_cast<std::size_t>(end - p - 1)}, kShown) + "\"";
    }
    default: break;
  }
  if (const char* end = end_of_number(p)) return "number " + cut_for_message({p, static_cast<std::size_t>(end - p)}, kShown);
  if (const char* end = end_of_word(p)) return std::string(p, end);
  return "`" + shown_scalar(p) + "`";
}

bool JsonCursor::fail(const char* at, std::string text, bool syntax) {
  failure_.at = at;
  failure_.text =
      syntax ? fmt::format("not JSON: {}, found {} at byte {}", text, describe_json(at), at - begin_) : std::move(text);
  return false;
}

bool JsonCursor::mismatch(const char* at, std::string_view expected) {
  const char c = *at;
  const bool value = c == '{' || c == '[' || c == '"' || end_of_number(at) || end_of_word(at);
  if (!value) return fail(at, std::string("expected ").append(expected), true);
  return fail(at, fmt::format("expected {}, found {}", expected, describe_json(at)), false);
}

bool JsonCursor::inside(std::string_view name) {
  const bool joined = failure_.path.empty() || failure_.path[0] == '[';
  failure_.path.insert(0, joined ? std::string(name) : std::string(name) + ".");
  return false;
}

bool JsonCursor::inside(std::size_t index) {
  const bool joined = failure_.path.empty() || failure_.path[0] == '[';
  failure_.path.insert(0, fmt::format("[{}]{}", index, joined ? "" : "."));
  return false;
}

bool JsonCursor::skip_scalar() {
  const char* p = here();
  const char c = *p;
  if (c == '"') {
    const std::string_view raw = raw_text();
    if (has_escape(raw)) [[unlikely]] {
      Buffer scratch;
      JsonEscapeError error;
      if (!append_unescaped(scratch, raw, error))
        return fail(error.at, fmt::format("{} at byte {}", error.text, error.at - begin_));
    }
  } else if (c == '-' || static_cast<unsigned char>(c - '0') < 10) {
    if (!end_of_number(p)) return syntax("a number");
  } else if (!end_of_word(p)) {
    return syntax("a value");
  }
  step();
  return true;
}

bool JsonCursor::skip_name() {
  if (now() != '"') return syntax("the name of a member");
  if (!skip_scalar()) return false;
  if (now() != ':') return syntax("`:`");
  step();
  return true;
}

bool JsonCursor::skip_container() {
  std::bitset<kDeepest> objects;
  int depth = 0;  // containers that are open; the innermost is objects[depth - 1]
  for (;;) {
    const char c = now();
    bool closed = false;  // a value ends here
    if (c == '{' || c == '[') {
      if (depth == kDeepest) return fail(here(), fmt::format("nested deeper than {} at byte {}", kDeepest, here() - begin_));
      const bool object = c == '{';
      objects[static_cast<std::size_t>(depth++)] = object;
      step();
      if (now() == (object ? '}' : ']')) closed = true;
      else if (object && !skip_name()) return false;
      if (!closed) continue;
    } else if (!skip_scalar()) {
      return false;
    }
    // Behind a value: close what ends here, then go on behind a comma.
    for (;;) {
      if (closed) {
        step();
        if (--depth == 0) return true;
      }
      const bool object = objects[static_cast<std::size_t>(depth - 1)];
      closed = now() == (object ? '}' : ']');
      if (closed) continue;
      if (now() != ',') return syntax(object ? "`,` or `}`" : "`,` or `]`");
      step();
      if (object && !skip_name()) return false;
      break;
    }
  }
}

const char* JsonCursor::end_of(const std::uint32_t* place) const {
  const char* p = base_ + *place;
  switch (*p) {
    case '{':
    case '}':
    case '[':
    case ']':
    case ',':
    case ':': return p + 1;
    default: break;
  }
  const char* end = base_ + place[1];
  while (is_space(end[-1])) --end;
  return end;
}

std::string_view JsonCursor::skipped(const std::uint32_t* first) const {
  const char* begin = base_ + *first;
  return {begin, static_cast<std::size_t>(end_of(at_ - 1) - begin)};
}

void JsonCursor::append_compact(Buffer& out, const std::uint32_t* first) const {
  for (; first != at_; ++first) {
    const char* begin = base_ + *first;
    out.append(begin, static_cast<std::size_t>(end_of(first) - begin));
  }
}

}  // namespace weir
