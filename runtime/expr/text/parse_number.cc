#include <charconv>
#include <cmath>

#include "runtime/data/decimal.h"
#include "runtime/expr/text/parse_text.h"
#include "runtime/expr/text/parse_value.h"

namespace weir {

using expr::equal_ignoring_case;
using expr::trim_blanks;

namespace {

template <typename T>
ParseStatus parse_whole(std::string_view text, T& out) {
  text = trim_blanks(text);
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return ParseStatus::kSyntax;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return ParseStatus::kSyntax;
  return error == std::errc() ? ParseStatus::kOk : ParseStatus::kRange;
}

}  // namespace

ParseStatus parse_int(std::string_view text, std::int32_t& out) { return parse_whole(text, out); }
ParseStatus parse_bigint(std::string_view text, std::int64_t& out) { return parse_whole(text, out); }

ParseStatus parse_double(std::string_view text, double& out) {
  text = trim_blanks(text);
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return ParseStatus::kSyntax;
  }
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, out);
  if (parsed.ptr != end || parsed.ec == std::errc::invalid_argument) return ParseStatus::kSyntax;
  if (!std::isfinite(out) && text.find('(') != std::string_view::npos) return ParseStatus::kSyntax;  // C's nan(...)
  if (parsed.ec == std::errc()) return ParseStatus::kOk;
  return ParseStatus::kRange;
}

ParseStatus parse_boolean(std::string_view text, bool& out) {
  text = trim_blanks(text);
  struct Word {
    std::string_view word;
    std::size_t least;
    bool value;
  };
  static constexpr Word kWords[] = {{"true", 1, true}, {"false", 1, false}, {"yes", 1, true}, {"no", 1, false},
                                    {"on", 2, true},   {"off", 2, false},   {"1", 1, true},   {"0", 1, false}};
  for (const Word& w : kWords)
    if (text.size() >= w.least && text.size() <= w.word.size() && equal_ignoring_case(text, w.word.substr(0, text.size()))) {
      out = w.value;
      return ParseStatus::kOk;
    }
  return ParseStatus::kSyntax;
}

ParseStatus parse_decimal_value(std::string_view text, int precision, int scale, Int128& out) {
  const ParsedDecimal p = parse_decimal(trim_blanks(text), scale);
  if (p.status == ParsedDecimal::Status::kSyntax) return ParseStatus::kSyntax;
  if (p.status == ParsedDecimal::Status::kOverflow || !fits_digits(p.value, precision)) return ParseStatus::kRange;
  out = p.value;
  return ParseStatus::kOk;
}

}  // namespace weir
