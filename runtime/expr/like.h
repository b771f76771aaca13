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

  /// Why the pattern is none, or empty: it ends with the escape character.
  const std::string& error() const { return error_; }
  bool matches(std::string_view text) const;

 private:
  enum class Shape { kEqual, kPrefix, kSuffix, kContains, kGeneral };
  bool matches_general(std::string_view text) const;

  // Literal bytes, with kAny for `%` and kOne for `_`: bytes that UTF-8 never has.
  static constexpr char kAny = static_cast<char>(0xff), kOne = static_cast<char>(0xfe);
  std::string tokens_;
  std::string literal_;
  Shape shape_ = Shape::kGeneral;
  std::string error_;
};

}  // namespace weir::expr
