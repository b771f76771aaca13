#pragma once
#include <string>
#include <string_view>

namespace weir::expr {

/// A pattern of `like`: `%` is any text, `_` one code point, the escape byte sequence takes the next character's meaning
/// away. The usual shapes (equal, prefix, suffix, contains) are recognised and matched without backtracking.
class LikePattern {
 public:
  /// `escape` is one code point or empty for none. Keeps a view of `pattern` only while it is constructed.
  LikePattern(std::string_view pattern, std::string_view escape);

  bool matches(std::string_view text) const { return match(text) == Outcome::kMatch; }
  /// True if the pattern ends with a lone escape character and matching comes to it, which PostgreSQL makes an error; a text
  /// that differs from the pattern before that just does not match.
  bool fails(std::string_view text) const { return ends_with_escape_ && match(text) == Outcome::kLoneEscape; }

 private:
  enum class Shape { kEqual, kPrefix, kSuffix, kContains, kGeneral };
  enum class Outcome { kMatch, kNoMatch, kLoneEscape };
  Outcome match(std::string_view text) const;
  Outcome match_general(std::string_view text) const;

  // Literal bytes, with kAny for `%`, kOne for `_` and kLone for a lone escape character at the end: bytes that UTF-8 never
  // has.
  static constexpr char kAny = static_cast<char>(0xff), kOne = static_cast<char>(0xfe), kLone = static_cast<char>(0xfd);
  std::string tokens_;
  std::string literal_;
  Shape shape_ = Shape::kGeneral;
  bool ends_with_escape_ = false;
};

}  // namespace weir::expr
