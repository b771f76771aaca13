#include "tools/weir/key_filter.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "connectors/formats/formats.h"
#include "runtime/base/error.h"
#include "runtime/data/key_codec.h"
#include "runtime/data/key_parts.h"

namespace weir {
namespace {

/// The names of a JSON object's members, and of those whose values are neither texts nor null. Values are read later, by
/// type.
std::vector<std::string> member_names(const std::string& text, std::vector<std::string>& no_texts) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object())
    throw Error(Blame::kUser, fmt::format("--key takes a JSON object such as '{{\"partition\":0}}'; given: {}", text));
  for (const auto& [name, value] : object.items()) {
    names.push_back(name);
    if (!value.is_string() && !value.is_null()) no_texts.push_back(name);
  }
  return names;
}

/// The columns of a key as they lie in the store.
std::vector<Field> stored_parts(const TableDeclaration& table) {
  std::vector<Field> parts = table.window;
  parts.insert(parts.end(), table.key.begin(), table.key.end());
  return parts;
}

std::string fields_text(const TableDeclaration& table) {
  std::string text;
  for (const std::vector<Field>* fields : {&table.key, &table.window})
    for (const Field& f : *fields) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", f.name, f.type.name());
  return text;
}

}  // namespace

TableFilter::TableFilter(const TableDeclaration& table, std::vector<std::pair<std::size_t, std::string>> wanted)
    : windows_(table.window.size()), wanted_(std::move(wanted)) {
  for (const Field& f : stored_parts(table)) types_.push_back(f.type);
}

bool TableFilter::takes(std::string_view stored) const {
  auto next = wanted_.begin();
  for (std::size_t i = 0; i < types_.size() && next != wanted_.end(); ++i) {
    if (i == windows_) stored.remove_prefix(std::min<std::size_t>(1, stored.size()));  // the key group
    const std::string_view part = take_key_part(stored, types_[i]);
    if (next->first != i) continue;
    if (part != next->second) return false;
    ++next;
  }
  return true;
}

KeyFilter::KeyFilter(const std::string& text) : text_(text), names_(member_names(text, no_texts_)), unknown_(names_) {}

/// The format takes a number for a text; here it would find nothing, in silence.
bool KeyFilter::is_no_text(const Field& field) const {
  return field.type.kind() == TypeKind::kVarchar &&
         std::find(no_texts_.begin(), no_texts_.end(), field.name) != no_texts_.end();
}

std::optional<TableFilter> KeyFilter::of(const std::string& step, const TableDeclaration& table) {
  const std::vector<Field> parts = stored_parts(table);
  std::vector<std::size_t> places;
  std::vector<Field> asked;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (std::find(names_.begin(), names_.end(), parts[i].name) == names_.end()) continue;
    places.push_back(i);
    asked.push_back(parts[i]);
    std::erase(unknown_, parts[i].name);
  }
  const std::string label = step + " " + table.name;
  keys_.push_back(fmt::format("{} ({})", label, fields_text(table)));
  if (asked.size() < names_.size()) return std::nullopt;

  const auto not_a_text = std::find_if(asked.begin(), asked.end(), [&](const Field& f) { return is_no_text(f); });
  if (not_a_text != asked.end()) {
    if (misfit_.empty())
      misfit_ = fmt::format("--key does not fit the key of {}: field {}: expected varchar, a text in double quotes", label,
                            not_a_text->name);
    return std::nullopt;
  }
  std::vector<std::pair<std::size_t, std::string>> wanted;
  if (!asked.empty()) {
    std::vector<ColumnBuilder> builders;
    for (const Field& f : asked) builders.emplace_back(f.type);
    std::vector<DecodeError> errors;
    const std::string_view record = text_;
    json_decoders(Schema(asked))->make()->decode({&record, 1}, builders, errors);
    if (!errors.empty()) {
      if (misfit_.empty()) misfit_ = fmt::format("--key does not fit the key of {}: {}", label, errors[0].reason);
      return std::nullopt;
    }
    EncodedKeys keys;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const ColumnPtr value = builders[i].finish();
      keys.encode({&value, 1}, 1);
      wanted.emplace_back(places[i], keys[0]);
    }
  }
  fits_ = true;
  return TableFilter(table, std::move(wanted));
}

void KeyFilter::require_fit() const {
  if (fits_ || empty()) return;
  constexpr std::size_t kListed = 8;
  std::string keys;
  for (std::size_t i = 0; i < std::min(keys_.size(), kListed); ++i) keys += (i ? ", " : "") + keys_[i];
  if (keys_.size() > kListed) keys += fmt::format(", … ({} in all)", keys_.size());
  if (keys.empty()) keys = "none";
  if (!unknown_.empty()) throw Error(Blame::kUser, fmt::format("no key has a member {}; keys: {}", unknown_.front(), keys));
  if (!misfit_.empty()) throw Error(Blame::kUser, fmt::format("{}; keys: {}", misfit_, keys));
  throw Error(Blame::kUser, fmt::format("no key has all members of {}; keys: {}", text_, keys));
}

}  // namespace weir
