#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/time.h"
#include "runtime/config/declaration.h"
#include "runtime/config/diagnostics.h"
#include "runtime/config/node.h"

namespace weir {

/// One entry of a `select`: a column and its expression, or `"*"`.
struct SelectItem {
  bool star = false;         ///< all columns of the input
  std::vector<Text> except;  ///< of a star: all but these
  std::string name;          ///< of the column; "*" for a star
  Location name_location;
  Text expression;  ///< empty for a star
};

/// The typed, validated keys of a component (or of a mapping within it). Immutable, cheap to copy, safe to share.
///
/// The accessors must match the declared type of the field; asking for a field that is not declared so, or that has neither
/// a value nor a default, throws weir::Error with Blame::kBug. Where usable() is false, values that did not read are absent.
class Config {
 public:
  struct Pair;

  Config();

  /// True if everything in it was read without a problem.
  bool ok() const;
  /// True if all that was wrong could be passed over: a wrong value is its default, or left out where it may be, as is a
  /// wrong item of a list. Then it may be bound, to find more problems; nothing may be run that is not ok(), and what keys
  /// need of one another is only judged where it is.
  bool usable() const;
  /// True if the field has a value: written, or its default.
  bool has(const std::string& field) const;
  /// True if the field was written.
  bool given(const std::string& field) const;
  /// Where the value of a field was written; for one that was not, the place of the mapping.
  Location location(const std::string& field) const;
  /// Where the mapping itself was written.
  const Location& location() const;

  const std::string& text(const std::string& field) const;  ///< kText, kEnumeration, kColumn, kConnection
  bool boolean(const std::string& field) const;
  std::int64_t integer(const std::string& field) const;
  double number(const std::string& field) const;
  Duration duration(const std::string& field) const;
  std::optional<Duration> duration_unless_never(const std::string& field) const;
  std::int64_t size(const std::string& field) const;  ///< bytes
  Timestamp time(const std::string& field) const;
  /// The text of an expression; `location.at(offset)` points into it. An expression that failed to parse or bind should be
  /// reported with `quoting_hint(text)` as its hint where there is no better one.
  const Text& expression(const std::string& field) const;
  /// Any scalar with its place.
  const Text& located(const std::string& field) const;

  /// kExpressions, kSchema, kMap of scalars. An expression that did not read is there with an empty text, and in a selection
  /// likewise: it was reported, and binding it says nothing more.
  const std::vector<NamedText>& entries(const std::string& field) const;
  const std::vector<SelectItem>& selection(const std::string& field) const;
  const std::vector<Text>& texts(const std::string& field) const;  ///< kList of scalars, columns
  const Config& object(const std::string& field) const;
  /// The form of a kOneOf that was written: its name is form(), its values are those of a `form`'s fields, or one value
  /// under the form's own name.
  const Config& choice(const std::string& field) const;
  const std::string& form() const;
  /// kList: each item is the object or choice, or for other types holds one value under the element's name.
  const std::vector<Config>& items(const std::string& field) const;
  /// kMap: likewise.
  const std::vector<Pair>& pairs(const std::string& field) const;
  /// kAny.
  const Node& node(const std::string& field) const;

  struct Data;  ///< known to the reader only
  explicit Config(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

 private:
  friend Config with_form(const Config& config, const std::string& form);
  const struct ConfigValue& value(const std::string& field) const;

  std::shared_ptr<const Data> data_;
};

/// An entry of a mapping from names to values.
struct Config::Pair {
  std::string name;
  Location name_location;
  Config value;
};

/// Reads a mapping as the fields say: unknown keys (with the nearest name), missing ones, values of the wrong type or out of
/// bounds, and fields that are not supported yet are reported. `what` names the mapping in messages: "source bids".
Config read(const std::vector<ConfigField>& fields, const Node& node, const std::string& what, Diagnostics& diagnostics);

/// The same for a component, with the keys that all of its kind share and its rules about groups of keys.
Config read(const Declaration& declaration, const Node& node, const std::string& what, Diagnostics& diagnostics);
Config read(const Declaration& declaration, const Node& node, Diagnostics& diagnostics);

/// What to tell somebody whose expression does not bind because YAML took its quotes: `write "'EUR'" for the text EUR`; ""
/// where the expression was not one quoted word.
std::string quoting_hint(const Text& expression);

}  // namespace weir
