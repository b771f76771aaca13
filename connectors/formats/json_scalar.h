#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/data/buffer.h"

namespace weir {

/// Scalars of JSON, read from bytes that a delimiter follows before the memory ends (JsonTokens sees to that). Pure functions.

/// True for the bytes that may follow a number, `true`, `false` or `null`.
inline bool is_json_delimiter(char c) {
  return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// The end of the number at `p`, or null if there is none by JSON's grammar (RFC 8259 §6) up to a delimiter.
const char* end_of_number(const char* p);

/// How reading a number ended.
enum class JsonNumber {
  kOk,
  kSyntax,   ///< not a number of JSON's grammar
  kRange,    ///< does not fit
  kInexact,  ///< has a fraction; only from read_bigint
};
/// Reads a whole number; `7.0` and `1e3` are whole too.
JsonNumber read_bigint(const char* p, std::int64_t& value);
/// Reads the nearest double; kRange where that is an infinity.
JsonNumber read_double(const char* p, double& value);

/// The same for numbers written as text, blanks around them left out: digits only for whole ones; `NaN`, `Infinity` and
/// `-Infinity` for doubles.
JsonNumber read_bigint_text(std::string_view text, std::int64_t& value);
JsonNumber read_double_text(std::string_view text, double& value);
std::string_view trim_blanks(std::string_view text);

/// Why a text's escapes cannot be read; `at` is where, `text` what is wrong.
struct JsonEscapeError {
  const char* at;
  std::string_view text;
};
/// Appends the text between two quotes with its escapes resolved. False for a broken escape and for half a surrogate pair;
/// then `out` holds some of it.
bool append_unescaped(Buffer& out, std::string_view raw, JsonEscapeError& error);

inline bool has_escape(std::string_view raw) { return std::memchr(raw.data(), '\\', raw.size()) != nullptr; }

/// Up to eight bytes that read as one number compare faster than as text. Reads eight bytes.
inline std::uint64_t load8(const char* p) {
  std::uint64_t v;
  std::memcpy(&v, p, 8);
  return v;
}
inline std::uint32_t load4(const char* p) {
  std::uint32_t v;
  std::memcpy(&v, p, 4);
  return v;
}

}  // namespace weir
