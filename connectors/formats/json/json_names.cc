#include "connectors/formats/json/json_names.h"

namespace weir {

JsonNames::JsonNames(std::vector<std::string> fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) fields_.emplace(std::move(fields[i]), static_cast<int>(i));
}

int JsonNames::find_unexpected(const char* p, std::size_t place) {
  // The document ends every text with a quote (JsonTokens), so this ends too.
  std::size_t n = 0;
  while (p[n] != '"') {
    if (p[n] == '\\') return kEscaped;
    ++n;
  }
  const int field = find(std::string_view(p, n));
  if (place >= kPlaces || n + 1 > kLongest) return field;
  if (place >= seen_.size()) seen_.resize(place + 1);
  Seen& s = seen_[place];
  s = Seen{};
  std::memcpy(&s.first, p, std::min<std::size_t>(n + 1, 8));
  s.first_mask = n + 1 >= 8 ? ~0ull : (1ull << 8 * (n + 1)) - 1;
  if (n + 1 > 8) {
    std::memcpy(&s.second, p + 8, std::min<std::size_t>(n + 1 - 8, 8));
    s.second_mask = n + 1 >= 16 ? ~0ull : (1ull << 8 * (n + 1 - 8)) - 1;
  }
  if (n + 1 > 16) s.rest.assign(p + 16, n + 1 - 16);
  s.field = field;
  return field;
}

}  // namespace weir
