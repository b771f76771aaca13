#include "runtime/expr/bind/registry.h"
#include "runtime/expr/text/like.h"
#include "runtime/expr/text/parse_value.h"
#include "runtime/expr/text/utf8.h"

namespace weir::expr {

namespace {

constexpr TypeKind kT = TypeKind::kVarchar;

void position_of(const KernelCall& c) {
  map_valid<std::int32_t>(c, [&](std::int32_t i) {
    const std::string_view text = c[0].text(i);
    const std::size_t found = text.find(c[1].text(i));
    return found == std::string_view::npos ? 0 : static_cast<std::int32_t>(count_code_points(text.substr(0, found))) + 1;
  });
}

void starts_with(const KernelCall& c) {
  map_valid<std::uint8_t>(c,
                          [&](std::int32_t i) { return static_cast<std::uint8_t>(c[0].text(i).starts_with(c[1].text(i))); });
}

/// The n-th field between delimiters, from 1; from -1 at the end. Beyond: ''.
std::string_view field_of(std::string_view text, std::string_view delimiter, std::int64_t n) {
  if (delimiter.empty()) return n == 1 || n == -1 ? text : text.substr(0, 0);
  if (n < 0) {
    std::int64_t fields = 1;
    for (std::size_t at = text.find(delimiter); at != std::string_view::npos;
         at = text.find(delimiter, at + delimiter.size()))
      ++fields;
    n += fields + 1;
    if (n < 1) return text.substr(0, 0);
  }
  std::size_t begin = 0;
  for (;; --n) {
    const std::size_t end = text.find(delimiter, begin);
    if (n == 1) return text.substr(begin, end == std::string_view::npos ? end : end - begin);
    if (end == std::string_view::npos) return text.substr(0, 0);
    begin = end + delimiter.size();
  }
}

void split_part(const KernelCall& c) {
  map_text(c, [&](std::int32_t i) {
    const std::int32_t n = c[2].value<std::int32_t>(i);
    if (n == 0) {
      c.fail(i, "field position must not be zero: split_part(..., 0)");
      return std::string_view{};
    }
    return field_of(c[0].text(i), c[1].text(i), n);
  });
}

/// The escape character of a call, `\` if none was given; says why if it is none.
std::string_view escape_of(const KernelCall& c, std::int32_t i, std::string& error) {
  if (c.arguments.size() < 3) return "\\";
  const std::string_view escape = c[2].text(i);
  if (count_code_points(escape) > 1)
    error = fmt::format("invalid escape string: {}, must be empty or one character", quoted_for_message(escape));
  return escape;
}

/// Matches every row with the pattern made for it by `folded`, which brings text and pattern to one case for ilike.
template <bool any_case>
void like(const KernelCall& c) {
  std::string buffer;
  const auto folded = [&buffer](std::string_view text) -> std::string_view {
    if constexpr (!any_case) return text;
    buffer.clear();
    append_lower(buffer, text);
    return buffer;
  };
  const auto pattern_of = [&](std::int32_t i, std::string& error) {
    const std::string_view escape = escape_of(c, i, error);
    return LikePattern(folded(c[1].text(i)), escape);
  };
  const auto match = [&](const LikePattern& pattern, std::int32_t i) {
    const std::string_view text = folded(c[0].text(i));
    if (pattern.fails(text))
      c.fail(i, "LIKE pattern must not end with escape character: " + quoted_for_message(c[1].text(i)));
    return static_cast<std::uint8_t>(pattern.matches(text));
  };
  if (c[1].constant() && (c.arguments.size() < 3 || c[2].constant())) {
    std::string error;
    const LikePattern pattern = pattern_of(0, error);
    if (!error.empty()) c.each_valid([&](std::int32_t i) { c.fail(i, error); });
    map_valid<std::uint8_t>(c, [&](std::int32_t i) { return match(pattern, i); });
    return;
  }
  map_valid<std::uint8_t>(c, [&](std::int32_t i) {
    std::string error;
    const LikePattern pattern = pattern_of(i, error);
    if (!error.empty()) c.fail(i, error);
    return match(pattern, i);
  });
}

}  // namespace

void add_text_search_functions(Registry& r) {
  constexpr ResultType kInteger = always<Type::integer>, kBoolean = always<Type::boolean>;
  r.add({"position",
         {kT, kT},
         kInteger,
         position_of,
         "Where the first text begins in the second, from 1; 0 if it does not occur.",
         "position('ei' in 'weir')"});
  r.add({"strpos",
         {kT, kT},
         kInteger,
         position_of,
         "Where the second text begins in the first, from 1; 0 if it does not occur.",
         "strpos('weir', 'ei')"});
  r.add({"starts_with",
         {kT, kT},
         kBoolean,
         starts_with,
         "True if the first text begins with the second.",
         "starts_with('weir', 'we')"});
  r.add({"split_part",
         {kT, kT, TypeKind::kInt},
         always<Type::varchar>,
         split_part,
         "The n-th field between delimiters, from 1; from -1 at the end.",
         "split_part('a,b,c', ',', 2)"});
  for (const bool escape : {false, true}) {
    std::vector<Parameter> parameters{kT, kT};
    if (escape) parameters.push_back(kT);
    r.add({"like", parameters, kBoolean, like<false>,
           "True if the whole text fits a pattern: % is any text, _ one character, \\ (or the escape given) takes their "
           "meaning away.",
           escape ? "'10%' like '10!%' escape '!'" : "'weir' like 'w%'"});
    r.add({"ilike", parameters, kBoolean, like<true>, "As like, without regard to case.",
           escape ? "'10%' ilike '10!%' escape '!'" : "'WEIR' ilike 'w%'"});
  }
}

}  // namespace weir::expr
