#include "connectors/kafka/source/fingerprint.h"

#include <xxhash.h>

#include <charconv>

namespace weir {

std::uint64_t hash_record(std::string_view key, std::string_view value) {
  const auto part = [](std::string_view bytes, std::uint64_t seed) {
    return bytes.data() ? XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed) : ~seed;
  };
  return part(value, part(key, 1));
}

std::string to_text(const Fingerprint& f) { return fmt::format("{}:{}:{:016x}", f.offset, f.timestamp, f.hash); }

std::optional<Fingerprint> parse_fingerprint(std::string_view text) {
  Fingerprint f;
  const char* p = text.data();
  const char* const end = p + text.size();
  const auto number = [&](auto& value, int base) {
    const auto [next, error] = std::from_chars(p, end, value, base);
    p = next;
    return error == std::errc{};
  };
  const auto colon = [&] { return p < end && *p++ == ':'; };
  if (!number(f.offset, 10) || !colon() || !number(f.timestamp, 10) || !colon() || !number(f.hash, 16) || p != end)
    return std::nullopt;
  return f;
}

}  // namespace weir
