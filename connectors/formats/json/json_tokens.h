#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/data/buffer.h"

namespace simdjson::internal {
class dom_parser_implementation;
}

namespace weir {

/// The places in a few JSON documents where a token begins: `{ } [ ] : ,`, the opening quote of a text, the first byte of
/// anything else that is not white space. Found by simdjson's first stage, which also checks UTF-8 and that texts end and
/// hold no control characters, over all documents at once.
///
/// Documents are copied one behind the other, each followed by a line feed, `#` and a line feed: the `#` is a token that
/// no rule of JSON accepts, so whoever walks over tokens meets it before he leaves the document and need not look for the
/// end. Reading up to 64 bytes behind any document is allowed.
///
/// simdjson's on-demand values are not used: for a plain x86-64 they are compiled without SIMD, they cannot share the
/// first stage between documents, and they do not check what they skip. Not thread-safe.
class JsonTokens {
 public:
  JsonTokens();
  ~JsonTokens();

  struct Document {
    std::uint32_t begin;  ///< of its bytes, a byte-order mark left out
    std::uint32_t end;    ///< its terminator is the token at end + 1
  };

  /// Forgets all documents.
  void clear();
  void add(std::string_view document);
  /// Finds the tokens of all documents. False if one of them is not made of tokens: then try them one by one.
  bool index_all();
  /// Finds the tokens of one document only, as if it were alone; places then count from its own beginning.
  bool index_one(const Document& document);

  /// Bytes added so far.
  std::size_t size() const { return bytes_.size(); }
  /// Places in the bytes since clear().
  const std::vector<Document>& documents() const { return documents_; }
  std::string_view text(const Document& d) const { return {bytes_.as<char>() + d.begin, d.end - d.begin}; }

  /// True if there is a backslash in any document.
  bool have_escapes() const { return std::memchr(bytes_.data(), '\\', bytes_.size()) != nullptr; }

  /// What the tokens' places count from. Valid after index_all or index_one.
  const char* base() const { return base_; }
  /// The tokens' places, ascending.
  const std::uint32_t* tokens() const { return tokens_; }

 private:
  bool index(const char* begin, std::size_t length);

  Buffer bytes_;
  std::vector<Document> documents_;
  std::unique_ptr<simdjson::internal::dom_parser_implementation> stage_;
  const char* base_ = nullptr;
  const std::uint32_t* tokens_ = nullptr;
};

/// Says why a document is not made of tokens: where UTF-8 breaks, a control character stands in a text, or a text has no
/// end.
std::string why_no_tokens(std::string_view document);

}  // namespace weir
