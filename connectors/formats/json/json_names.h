#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "connectors/formats/json/json_scalar.h"

namespace weir {

/// Finds which field a member of a JSON object is. Records of one source nearly always have the same members in the same
/// order, so it remembers what stood at each place of the object before it and compares with that first. Not thread-safe.
class JsonNames {
 public:
  static constexpr int kUnknown = -1;
  static constexpr int kEscaped = -2;  ///< the name must be unescaped first

  explicit JsonNames(std::vector<std::string> fields);

  /// The field whose name stands at `p` (behind the opening quote; 64 bytes may be read), the object's `place`-th member.
  int find(const char* p, std::size_t place) {
    if (place < seen_.size()) [[likely]] {
      const Seen& s = seen_[place];
      if (same(p, s)) [[likely]]
        return s.field;
    }
    return find_unexpected(p, place);
  }
  /// The field of exactly this name.
  int find(std::string_view name) const {
    const auto it = fields_.find(name);
    return it == fields_.end() ? kUnknown : it->second;
  }

 private:
  static constexpr std::size_t kPlaces = 256;  // members remembered
  static constexpr std::size_t kLongest = 64;  // bytes of a name remembered

  /// A name with its closing quote: so it ends where the member's name ends.
  struct Seen {
    std::uint64_t first = 0, second = 0;                ///< bytes 0-7 and 8-15, zero behind the end
    std::uint64_t first_mask = ~0ull, second_mask = 0;  ///< all ones where there are bytes; as it is here no name fits
    int field = kUnknown;
    std::string rest;  ///< bytes from 16 on
  };
  static bool same(const char* p, const Seen& s) {
    return ((load8(p) ^ s.first) & s.first_mask) == 0 && ((load8(p + 8) ^ s.second) & s.second_mask) == 0 &&
           (s.rest.empty() || std::memcmp(p + 16, s.rest.data(), s.rest.size()) == 0);
  }
  int find_unexpected(const char* p, std::size_t place);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };
  std::unordered_map<std::string, int, Hash, std::equal_to<>> fields_;
  std::vector<Seen> seen_;
};

}  // namespace weir
