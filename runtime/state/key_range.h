#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// A row's key as the store knows it.
inline std::string stored_key(std::string_view window, std::uint8_t group, std::string_view key) {
  std::string stored;
  stored.reserve(window.size() + 1 + key.size());
  stored.append(window).push_back(static_cast<char>(group));
  return stored.append(key);
}

/// The end of the range of all keys that begin with `prefix`; empty where nothing is behind them.
inline std::string end_of_prefix(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}

}  // namespace weir
