#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace weir::expr {

/// A set of encoded keys of one column (runtime/data/key_codec.h), none of them null; if wanted, with how often each was
/// added.
///
/// Flat, since a set is copied with its row and one batch may change a thousand of them: open addressing with linear
/// probing, at most 4/5 full, growing by half. A place holds the key without its first byte, or, where keys vary in length,
/// the position of these bytes in `texts_`, and the low bits of their hash; then the count, if wanted. They need no length:
/// they end with 00 01. A free place is all zeros; how often the key of all zeros is there is kept beside the places.
/// Not thread-safe.
class KeySet {
 public:
  /// `width`: key_width() of the column's type. Without `counts` each key is there once, however often it is added.
  KeySet(std::size_t width, bool counts)
      : key_bytes_(static_cast<std::uint8_t>(width == 0 ? sizeof(std::uint64_t) : width)),
        varies_(width == 0),
        counts_(counts) {}

  std::size_t size() const { return used_ + (zeros_ > 0 ? 1 : 0); }
  /// Memory held, about.
  std::size_t bytes() const;
  /// Adds a key `count` times, which is positive. True if it is new.
  bool add(std::string_view key, std::int64_t count = 1);
  /// Takes a key away once. True if it is gone by that; nothing happens if it was not there. Only with counts.
  bool remove(std::string_view key);
  /// Makes room for so many keys, so that adding them does not grow the set.
  void reserve(std::size_t keys);
  /// Calls `visit(key, count)` for each, in no order. The key is valid during the call.
  template <typename F>
  void for_each(F&& visit) const {
    std::string key(1, kValue);
    if (zeros_ > 0) visit(std::string_view(key.append(key_bytes_, '\0')), zeros_);
    for (std::size_t i = 0; i < capacity_; ++i) {
      const char* at = place(i);
      if (is_free(at)) continue;
      key.replace(1, std::string::npos, tail(at));
      visit(std::string_view(key), count_of(at));
    }
  }

 private:
  static constexpr char kValue = 1;          ///< the first byte of each key
  static constexpr unsigned kHashBits = 24;  ///< in a place, so that few texts are compared
  static constexpr std::uint64_t kHashMask = (std::uint64_t{1} << kHashBits) - 1;

  std::size_t stride() const { return key_bytes_ + (counts_ ? sizeof(std::int64_t) : 0); }
  char* place(std::size_t i) { return places_.data() + i * stride(); }
  const char* place(std::size_t i) const { return places_.data() + i * stride(); }
  std::size_t home(std::uint64_t hash) const;
  bool is_free(const char* at) const { return all_zeros({at, key_bytes_}); }
  static bool all_zeros(std::string_view bytes);
  std::string_view tail(const char* at) const;
  bool holds(const char* at, std::string_view tail, std::uint64_t hash) const;
  std::size_t find(std::string_view tail, std::uint64_t hash) const;
  void put(char* at, std::string_view tail, std::uint64_t hash);
  std::int64_t count_of(const char* at) const;
  std::int64_t change_count(char* at, std::int64_t by);
  void free_place(std::size_t i);
  void rebuild(std::size_t capacity);

  std::vector<char> places_;
  std::vector<char> texts_;
  std::size_t capacity_ = 0;  ///< places
  std::size_t used_ = 0;      ///< of them
  std::size_t gone_ = 0;      ///< bytes of texts_ that belong to no place
  std::int64_t zeros_ = 0;    ///< how often the key of all zeros is there
  std::uint8_t key_bytes_;    ///< of a place, without the count
  bool varies_, counts_;
};

}  // namespace weir::expr
