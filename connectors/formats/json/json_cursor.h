#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "connectors/formats/json/json_scalar.h"

namespace weir {

/// Walks over the tokens of one JSON document (see JsonTokens), checks the grammar of what it skips, and keeps what went
/// wrong first. Every step that can fail returns false then. Not thread-safe.
class JsonCursor {
 public:
  static constexpr int kDeepest = 1000;  ///< containers within one another

  /// What went wrong, where.
  struct Failure {
    const char* at = nullptr;
    std::string path;  ///< of the field, outermost first: `items[2].price`; empty outside of fields
    std::string text;
  };

  /// `base` is what places count from, `begin` where the document begins, `first` its first token. `escapes` is false if
  /// there is no backslash in it.
  void start(const char* base, const char* begin, const std::uint32_t* first, bool escapes) {
    base_ = base, begin_ = begin, at_ = first, escapes_ = escapes;
  }

  const char* here() const { return base_ + *at_; }
  char now() const { return *here(); }
  /// The token behind this one; the last token of a document is its terminator, so there is always one.
  const char* after() const { return base_ + at_[1]; }
  /// The token before this one.
  const char* before() const { return base_ + at_[-1]; }
  void step() { ++at_; }
  const std::uint32_t* place() const { return at_; }
  /// What places count from.
  const char* base() const { return base_; }
  /// Goes back to a place() of the same document.
  void rewind(const std::uint32_t* place) { at_ = place; }
  /// For a message: how many bytes of the document lie before `p`.
  std::ptrdiff_t offset(const char* p) const { return p - begin_; }

  /// Between the quotes of the text that begins at this token.
  std::string_view raw_text() const {
    const char* close = after() - 1;
    while (*close != '"') --close;  // only white space lies between a closing quote and the next token
    return {here() + 1, static_cast<std::size_t>(close - here() - 1)};
  }

  /// False if there is no backslash in the document.
  bool escapes() const { return escapes_; }
  bool has_escape(std::string_view raw) const { return escapes_ && std::memchr(raw.data(), '\\', raw.size()); }

  /// Steps over the value at this token, whatever it is.
  bool skip() {
    const char c = now();
    if (c == '"' && !escapes_) return step(), true;
    if (c == '{' || c == '[') return skip_container();
    return skip_scalar();
  }
  /// The bytes of the value that skip() went over, from its first token to this one, white space at the end left out.
  std::string_view skipped(const std::uint32_t* first) const;
  /// The same without white space between tokens, appended to `out`.
  void append_compact(Buffer& out, const std::uint32_t* first) const;

  /// `expected` something else at this token.
  bool syntax(std::string_view expected) { return fail(here(), std::string("expected ").append(expected), true); }
  /// The value at `at` is JSON, but not what is wanted: `expected int`. Says which value was found, unless it is no JSON at
  /// all.
  bool mismatch(const char* at, std::string_view expected);
  bool fail(const char* at, std::string text) { return fail(at, std::move(text), false); }
  /// A failure inside of a field: puts its name before the path. Returns false.
  bool inside(std::string_view name);
  bool inside(std::size_t index);

  Failure take_failure() { return std::exchange(failure_, Failure{}); }

 private:
  bool fail(const char* at, std::string text, bool syntax);
  bool skip_scalar();
  bool skip_container();
  bool skip_name();
  /// Where the token at `place` ends.
  const char* end_of(const std::uint32_t* place) const;

  const char* base_ = nullptr;
  const char* begin_ = nullptr;
  const std::uint32_t* at_ = nullptr;
  bool escapes_ = true;
  Failure failure_;
};

/// The value at `p` for a message: `text "abc"`, `number 1.5`, `true`, `an object`; long ones are cut.
std::string describe_json(const char* p);

}  // namespace weir
