#include "runtime/expr/bind/registry.h"
#include "runtime/expr/text/utf8.h"
#include "runtime/expr/text/value_print.h"

namespace weir::expr {

namespace {

constexpr TypeKind kT = TypeKind::kVarchar;
constexpr TypeKind kI = TypeKind::kInt;
constexpr ResultType kText = always<Type::varchar>;
constexpr ResultType kInteger = always<Type::integer>;

/// Text that `make(buffer, row)` appends to an empty buffer.
template <typename Make>
void made_text(const KernelCall& c, Make make) {
  std::string buffer;
  map_text(c, [&](std::int32_t i) {
    buffer.clear();
    make(buffer, i);
    return c.frame.arena.copy(buffer);
  });
}

void upper(const KernelCall& c) {
  made_text(c, [&](std::string& out, std::int32_t i) { append_upper(out, c[0].text(i)); });
}
void lower(const KernelCall& c) {
  made_text(c, [&](std::string& out, std::int32_t i) { append_lower(out, c[0].text(i)); });
}

void char_length(const KernelCall& c) {
  map_valid<std::int32_t>(c, [&](std::int32_t i) { return static_cast<std::int32_t>(count_code_points(c[0].text(i))); });
}
void octet_length(const KernelCall& c) {
  map_valid<std::int32_t>(c, [&](std::int32_t i) { return static_cast<std::int32_t>(c[0].text(i).size()); });
}

/// Code points from `from` (counted from 1, may lie before the text) up to, not including, `to`.
std::string_view cut(std::string_view text, std::int64_t from, std::int64_t to) {
  from = std::max<std::int64_t>(from, 1);
  if (to <= from) return text.substr(0, 0);
  const std::size_t begin = byte_offset(text, from - 1);
  const std::string_view rest = text.substr(begin);
  return rest.substr(0, byte_offset(rest, to - from));
}

void substring_from(const KernelCall& c) {
  map_text(c, [&](std::int32_t i) {
    const std::string_view text = c[0].text(i);
    return cut(text, c[1].value<std::int32_t>(i), static_cast<std::int64_t>(text.size()) + 1);
  });
}
void substring_from_for(const KernelCall& c) {
  map_text(c, [&](std::int32_t i) {
    const std::int64_t from = c[1].value<std::int32_t>(i), count = c[2].value<std::int32_t>(i);
    if (count < 0) c.fail(i, fmt::format("negative substring length not allowed: {}", count));
    return cut(c[0].text(i), from, from + count);
  });
}

/// n code points from the left; a negative n leaves out that many at the right.
void left(const KernelCall& c) {
  map_text(c, [&](std::int32_t i) {
    const std::string_view text = c[0].text(i);
    std::int64_t n = c[1].value<std::int32_t>(i);
    if (n < 0) n = std::max<std::int64_t>(0, count_code_points(text) + n);
    return text.substr(0, byte_offset(text, n));
  });
}
void right(const KernelCall& c) {
  map_text(c, [&](std::int32_t i) {
    const std::string_view text = c[0].text(i);
    const std::int64_t n = c[1].value<std::int32_t>(i);
    const std::int64_t skip = n < 0 ? -n : std::max<std::int64_t>(0, count_code_points(text) - n);
    return text.substr(byte_offset(text, skip));
  });
}

/// True if the code point of `text` at `at` is one of `set`.
bool among(std::string_view set, std::string_view text, std::size_t at) {
  const std::string_view one = text.substr(at, code_point_size(text, at));
  for (std::size_t i = 0; i < set.size(); i += code_point_size(set, i))
    if (set.substr(i, code_point_size(set, i)) == one) return true;
  return false;
}

template <bool from_left, bool from_right>
std::string_view trimmed(std::string_view text, std::string_view set) {
  while (from_left && !text.empty() && among(set, text, 0)) text.remove_prefix(code_point_size(text, 0));
  while (from_right && !text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && is_continuation(text[last])) --last;
    if (!among(set, text, last)) break;
    text = text.substr(0, last);
  }
  return text;
}

template <bool from_left, bool from_right>
void trim(const KernelCall& c) {
  const bool given = c.arguments.size() > 1;
  map_text(c, [&](std::int32_t i) { return trimmed<from_left, from_right>(c[0].text(i), given ? c[1].text(i) : " "); });
}

void replace(const KernelCall& c) {
  made_text(c, [&](std::string& out, std::int32_t i) {
    const std::string_view text = c[0].text(i), from = c[1].text(i), to = c[2].text(i);
    std::size_t at = 0;
    if (!from.empty())
      for (std::size_t found; (found = text.find(from, at)) != std::string_view::npos; at = found + from.size()) {
        out += text.substr(at, found - at);
        out += to;
      }
    out += text.substr(at);
  });
}

void concatenate(const KernelCall& c) {
  map_text(c, [&](std::int32_t i) {
    const std::string_view a = c[0].text(i), b = c[1].text(i);
    if (a.empty()) return b;
    if (b.empty()) return a;
    char* to = c.frame.arena.reserve(a.size() + b.size());
    std::memcpy(to, a.data(), a.size());
    std::memcpy(to + a.size(), b.data(), b.size());
    return c.frame.arena.keep(a.size() + b.size());
  });
}

void concat(const KernelCall& c) {
  made_text(c, [&](std::string& out, std::int32_t i) {
    for (const Values& v : c.arguments)
      if (v.valid(i)) append_printed(out, v, i);
  });
}

void concat_ws(const KernelCall& c) {
  c.out.and_validity(c[0], c.rows.batch);
  made_text(c, [&](std::string& out, std::int32_t i) {
    bool any = false;
    for (std::size_t k = 1; k < c.arguments.size(); ++k) {
      if (!c[k].valid(i)) continue;
      if (any) out += c[0].text(i);
      append_printed(out, c[k], i);
      any = true;
    }
  });
}

/// Texts made by functions stay below this.
constexpr std::int64_t kLongest = 64 << 20;

void repeat(const KernelCall& c) {
  made_text(c, [&](std::string& out, std::int32_t i) {
    const std::string_view text = c[0].text(i);
    const std::int64_t n = c[1].value<std::int32_t>(i);
    if (n > 0 && static_cast<std::int64_t>(text.size()) * n > kLongest)
      return c.fail(i, fmt::format("requested length too large: {} times {} bytes", n, text.size()));
    for (std::int64_t k = 0; k < n; ++k) out += text;
  });
}

void reverse(const KernelCall& c) {
  made_text(c, [&](std::string& out, std::int32_t i) {
    std::string_view text = c[0].text(i);
    while (!text.empty()) {
      std::size_t last = text.size() - 1;
      while (last > 0 && is_continuation(text[last])) --last;
      out += text.substr(last);
      text = text.substr(0, last);
    }
  });
}

template <bool at_left>
void pad(const KernelCall& c) {
  made_text(c, [&](std::string& out, std::int32_t i) {
    const std::string_view text = c[0].text(i), fill = c.arguments.size() > 2 ? c[2].text(i) : " ";
    const std::int64_t wanted = std::max(0, c[1].value<std::int32_t>(i));
    if (wanted > kLongest) return c.fail(i, fmt::format("requested length too large: {}", wanted));
    const std::int64_t missing = wanted - count_code_points(text);
    if (missing <= 0 || fill.empty()) {
      out += text.substr(0, byte_offset(text, wanted));
      return;
    }
    if (!at_left) out += text;
    std::size_t at = 0;
    for (std::int64_t k = 0; k < missing; ++k) {
      const std::size_t n = code_point_size(fill, at);
      out += fill.substr(at, n);
      at = at + n < fill.size() ? at + n : 0;
    }
    if (at_left) out += text;
  });
}

}  // namespace

void add_text_functions(Registry& r) {
  r.add({"||", {kT, kT}, kText, concatenate, "Both texts, one behind the other; other types become text.", "'a' || 1"});
  r.add({"upper", {kT}, kText, upper, "In upper case, by Unicode's one-to-one mappings.", "upper('weir')"});
  r.add({"lower", {kT}, kText, lower, "In lower case, by Unicode's one-to-one mappings.", "lower('WEIR')"});
  for (const char* name : {"length", "char_length", "character_length"})
    r.add({name, {kT}, kInteger, char_length, "The number of characters (code points).", "length('weir')"});
  r.add({"octet_length", {kT}, kInteger, octet_length, "The number of bytes.", "octet_length('é')"});
  for (const char* name : {"substring", "substr"}) {
    r.add({name,
           {kT, kI},
           kText,
           substring_from,
           "The characters from a place on, counted from 1.",
           "substring('weir' from 2)"});
    r.add({name,
           {kT, kI, kI},
           kText,
           substring_from_for,
           "So many characters from a place on, counted from 1.",
           "substring('weir' from 2 for 2)"});
  }
  r.add({"left",
         {kT, kI},
         kText,
         left,
         "The first characters; a negative number leaves out that many at the end.",
         "left('weir', 2)"});
  r.add({"right",
         {kT, kI},
         kText,
         right,
         "The last characters; a negative number leaves out that many at the front.",
         "right('weir', 2)"});
  r.add({"btrim", {kT}, kText, trim<true, true>, "Without blanks at both ends; also written trim(x).", "trim('  weir ')"});
  r.add({"btrim",
         {kT, kT},
         kText,
         trim<true, true>,
         "Without any of these characters at both ends.",
         "trim('xy' from 'xweiry')"});
  r.add({"ltrim", {kT}, kText, trim<true, false>, "Without blanks at the front.", "ltrim('  weir')"});
  r.add({"ltrim",
         {kT, kT},
         kText,
         trim<true, false>,
         "Without any of these characters at the front.",
         "ltrim('xxweir', 'x')"});
  r.add({"rtrim", {kT}, kText, trim<false, true>, "Without blanks at the end.", "rtrim('weir  ')"});
  r.add(
      {"rtrim", {kT, kT}, kText, trim<false, true>, "Without any of these characters at the end.", "rtrim('weirxx', 'x')"});
  r.add({"replace",
         {kT, kT, kT},
         kText,
         replace,
         "With every occurrence of the second text replaced by the third.",
         "replace('weir', 'ei', 'a')"});
  r.add({"repeat", {kT, kI}, kText, repeat, "The text so many times.", "repeat('ab', 3)"});
  r.add({"reverse", {kT}, kText, reverse, "The characters in reverse order.", "reverse('weir')"});
  r.add({"lpad",
         {kT, kI},
         kText,
         pad<true>,
         "Filled with blanks at the front, or cut at the end, to a length.",
         "lpad('7', 3)"});
  r.add({"lpad",
         {kT, kI, kT},
         kText,
         pad<true>,
         "Filled with a text at the front, or cut at the end, to a length.",
         "lpad('7', 3, '0')"});
  r.add({"rpad", {kT, kI}, kText, pad<false>, "Filled with blanks, or cut, at the end to a length.", "rpad('7', 3)"});
  r.add(
      {"rpad", {kT, kI, kT}, kText, pad<false>, "Filled with a text, or cut, at the end to a length.", "rpad('7', 3, '0')"});
  Signature all{"concat",
                {Parameter::anything()},
                kText,
                concat,
                "All arguments as text, one behind the other; nulls are left out.",
                "concat('a', 1, null)"};
  all.nulls = NullRule::kCustom;
  all.repeats_last = true;
  r.add(all);
  Signature with{"concat_ws",
                 {kT, Parameter::anything()},
                 kText,
                 concat_ws,
                 "All but the first argument as text, the first between them; nulls are left out.",
                 "concat_ws('-', 'a', null, 1)"};
  with.nulls = NullRule::kCustom;
  with.repeats_last = with.may_give_null = true;
  r.add(with);
}

}  // namespace weir::expr
