#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/config/config.h"

namespace weir {

/// A list: its scalars as texts, and its items as configs.
struct ListValue {
  std::vector<Text> texts;
  std::vector<Config> items;
};

/// A mapping from names: its scalars as texts, and its values as configs.
struct MapValue {
  std::vector<NamedText> texts;
  std::vector<Config::Pair> pairs;
};

/// What was read for a field.
struct ConfigValue {
  Location location;   ///< of the value; of the mapping for a default
  bool given = false;  ///< written, not a default
  Text text;           ///< of any scalar
  bool is_scalar = false;
  std::variant<std::monostate, bool, std::int64_t, double, Duration, Timestamp, std::vector<SelectItem>, ListValue, MapValue,
               Config, Node>
      typed;
};

struct Config::Data {
  std::vector<std::pair<std::string, ConfigValue>> values;
  Location location;
  std::string form;
  bool ok = true;
  bool usable = true;
};

/// The same config, as the form of a kOneOf.
Config with_form(const Config& config, const std::string& form);

}  // namespace weir
