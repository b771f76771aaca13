#include "runtime/config/config.h"

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/config/config_value.h"

namespace weir {
namespace {

const ConfigValue* find(const Config::Data& data, const std::string& field) {
  for (const auto& [name, value] : data.values)
    if (name == field) return &value;
  return nullptr;
}

[[noreturn]] void refuse(const std::string& field, const char* wanted) {
  throw Error(Blame::kBug, fmt::format("the key '{}' is not {}", field, wanted));
}

template <typename T>
const T& typed(const ConfigValue& value, const std::string& field, const char* wanted) {
  if (const T* found = std::get_if<T>(&value.typed)) return *found;
  refuse(field, wanted);
}

}  // namespace

Config::Config() : data_(std::make_shared<const Data>()) {}

const ConfigValue& Config::value(const std::string& field) const {
  if (const ConfigValue* found = find(*data_, field)) return *found;
  refuse(field, "there");
}

Config with_form(const Config& config, const std::string& form) {
  auto data = std::make_shared<Config::Data>(*config.data_);
  data->form = form;
  return Config(std::move(data));
}

bool Config::ok() const { return data_->ok; }
bool Config::usable() const { return data_->usable; }
bool Config::has(const std::string& field) const { return find(*data_, field) != nullptr; }

bool Config::given(const std::string& field) const {
  const ConfigValue* found = find(*data_, field);
  return found && found->given;
}

Location Config::location(const std::string& field) const {
  const ConfigValue* found = find(*data_, field);
  return found ? found->location : data_->location;
}

const Location& Config::location() const { return data_->location; }
const std::string& Config::form() const { return data_->form; }
const std::string& Config::text(const std::string& field) const { return located(field).text; }
const Text& Config::expression(const std::string& field) const { return located(field); }

const Text& Config::located(const std::string& field) const {
  const ConfigValue& found = value(field);
  if (!found.is_scalar) refuse(field, "a text");
  return found.text;
}

bool Config::boolean(const std::string& field) const { return typed<bool>(value(field), field, "a boolean"); }
std::int64_t Config::integer(const std::string& field) const {
  return typed<std::int64_t>(value(field), field, "an integer");
}
std::int64_t Config::size(const std::string& field) const { return typed<std::int64_t>(value(field), field, "a size"); }
double Config::number(const std::string& field) const { return typed<double>(value(field), field, "a number"); }
Duration Config::duration(const std::string& field) const { return typed<Duration>(value(field), field, "a duration"); }
Timestamp Config::time(const std::string& field) const { return typed<Timestamp>(value(field), field, "a time"); }

std::optional<Duration> Config::duration_unless_never(const std::string& field) const {
  const ConfigValue& found = value(field);
  if (found.is_scalar && found.text.text == "never") return std::nullopt;
  return typed<Duration>(found, field, "a duration");
}

const std::vector<NamedText>& Config::entries(const std::string& field) const {
  return typed<MapValue>(value(field), field, "a mapping of texts").texts;
}
const std::vector<Config::Pair>& Config::pairs(const std::string& field) const {
  return typed<MapValue>(value(field), field, "a mapping").pairs;
}
const std::vector<SelectItem>& Config::selection(const std::string& field) const {
  return typed<std::vector<SelectItem>>(value(field), field, "a selection");
}
const std::vector<Text>& Config::texts(const std::string& field) const {
  return typed<ListValue>(value(field), field, "a list of texts").texts;
}
const std::vector<Config>& Config::items(const std::string& field) const {
  return typed<ListValue>(value(field), field, "a list").items;
}
const Config& Config::object(const std::string& field) const {
  return typed<Config>(value(field), field, "a mapping with keys");
}
const Config& Config::choice(const std::string& field) const { return typed<Config>(value(field), field, "a choice"); }
const Node& Config::node(const std::string& field) const { return typed<Node>(value(field), field, "kept as written"); }

}  // namespace weir
