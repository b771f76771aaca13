#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// (Called ConfigField because weir::Field is a column of a Schema, runtime/data/type.h.)
/// How the value of a field is read, checked, documented and offered by editors.
enum class FieldType {
  kText,         ///< any text                                          Config::text
  kBoolean,      ///< true or false                                     Config::boolean
  kInteger,      ///< a whole number within bounds                      Config::integer
  kNumber,       ///< a decimal number                                  Config::number
  kDuration,     ///< `250ms 10s 5m 1h 7d`, or 0                        Config::duration
  kSize,         ///< `64KiB 4MiB 1GiB`, bytes                          Config::size
  kTime,         ///< ISO-8601 or epoch milliseconds                    Config::time
  kEnumeration,  ///< one of a few words                                Config::text
  kColumn,       ///< the name of a column                              Config::text
  kConnection,   ///< the name of a connection of the component's type  Config::text
  kExpression,   ///< a SQL expression                                  Config::expression
  kExpressions,  ///< an ordered mapping from names to expressions      Config::entries
  kSelection,    ///< the same with `"*"`                               Config::selection
  kSchema,       ///< an ordered mapping from columns to types          Config::entries
  kList,         ///< a list of element()                               Config::texts, Config::items
  kMap,          ///< an ordered mapping from names to element()        Config::entries, Config::pairs
  kObject,       ///< a mapping with fields of its own                  Config::object
  kOneOf,        ///< one of several forms                              Config::choice
  kAny,          ///< whatever was written                              Config::node
};

/// One key of a component: declared once, made with the functions of weir::field.
///
///     field::duration("discovery").defaults_to("5m").doc("How often to look for new partitions; 0 turns it off.")
struct ConfigField {
  std::string name;
  FieldType type = FieldType::kText;
  std::string text_doc;                     ///< sentences
  std::string text_example;                 ///< YAML
  std::optional<std::string> default_text;  ///< YAML, read like what a user writes
  std::optional<std::int64_t> least, most;  ///< bounds of integers, microseconds of durations, bytes of sizes
  bool is_required = false;
  bool is_secret = false;
  bool is_supported = true;
  bool is_never_allowed = false;
  bool keys_are_outputs = false;
  bool makes_columns = false;
  bool may_be_column = false;
  bool may_be_one = false;
  bool is_not_empty = false;
  std::vector<std::string> words;        ///< of an enumeration
  std::vector<std::string> secret_keys;  ///< of a mapping
  std::vector<ConfigField> parts;        ///< the element of lists and maps, the fields of objects, the forms of kOneOf

  ConfigField&& doc(std::string text) && { return text_doc = std::move(text), std::move(*this); }
  ConfigField&& example(std::string yaml) && { return text_example = std::move(yaml), std::move(*this); }
  /// Must be given. Without this and without a default the field may be absent (Config::has).
  ConfigField&& required() && { return is_required = true, std::move(*this); }
  ConfigField&& defaults_to(std::string yaml) && { return default_text = std::move(yaml), std::move(*this); }
  /// Bounds, inclusive: a number, or text read as the field reads it (`field::duration("x").at_least("1ms")`).
  ConfigField&& at_least(std::int64_t value) && { return least = value, std::move(*this); }
  ConfigField&& at_most(std::int64_t value) && { return most = value, std::move(*this); }
  ConfigField&& at_least(std::string_view value) &&;
  ConfigField&& at_most(std::string_view value) &&;
  /// A password or the like: masked wherever its line is shown, its value never printed.
  ConfigField&& secret() && { return is_secret = true, std::move(*this); }
  /// The same for these keys of a mapping (`properties`).
  ConfigField&& with_secrets(std::vector<std::string> keys) && { return secret_keys = std::move(keys), std::move(*this); }
  /// Known but not built: using it is refused as `not supported yet`.
  ConfigField&& not_supported_yet() && { return is_supported = false, std::move(*this); }
  /// A duration that may also be the word `never` (Config::duration_unless_never).
  ConfigField&& or_never() && { return is_never_allowed = true, std::move(*this); }
  /// An expression that may also be the plain name of a column, in YAML quotes or not.
  ConfigField&& or_column() && { return may_be_column = true, std::move(*this); }
  /// A list of scalars that may be written as one scalar alone.
  ConfigField&& or_one() && { return may_be_one = true, std::move(*this); }
  /// A text of at least one character.
  ConfigField&& not_empty() && { return is_not_empty = true, std::move(*this); }
  /// The keys of this mapping are outputs of the step (route).
  ConfigField&& names_outputs() && { return keys_are_outputs = true, std::move(*this); }
  /// Decides which columns the component hands on: where it is wrong they are not known.
  ConfigField&& decides_columns() && { return makes_columns = true, std::move(*this); }

  const ConfigField& element() const { return parts.front(); }
};

/// Makes fields. A field that is an element of a list or map needs a name only for Config's accessors and the reference.
namespace field {

ConfigField text(std::string name);
ConfigField boolean(std::string name);
ConfigField integer(std::string name);
ConfigField number(std::string name);
ConfigField duration(std::string name);
ConfigField size(std::string name);
ConfigField time(std::string name);
ConfigField enumeration(std::string name, std::vector<std::string> words);
ConfigField column(std::string name);
ConfigField connection(std::string name = "connection");
ConfigField expression(std::string name);
ConfigField expressions(std::string name);
ConfigField selection(std::string name);
ConfigField schema(std::string name);
ConfigField list_of(std::string name, ConfigField element);
ConfigField map_of(std::string name, ConfigField element);
/// A list of column names, each of them once; one name alone is a list of one.
ConfigField columns(std::string name);
/// A mapping from names to texts (`properties`).
ConfigField texts(std::string name);
/// A mapping with keys of its own. Where it is not written and none of them is required it is there all the same, with their
/// defaults (Config::given tells).
ConfigField object(std::string name, std::vector<ConfigField> fields);
ConfigField any(std::string name);

/// A value that has several forms: words, scalars, lists, maps and forms (below). The form is found by what was written: a
/// word that equals it, else the only scalar form; a list; a mapping by the first key of its form, else the map form.
///
///     field::one_of("start", {field::word("earliest"), field::word("latest"),
///                             field::form({field::time("timestamp")}), field::form({field::any("offsets")})})
///         .defaults_to("earliest")
///
/// Config::choice("start").form() is then "earliest", "timestamp", …
ConfigField one_of(std::string name, std::vector<ConfigField> forms);
/// A form of one_of that is this word.
ConfigField word(std::string word);
/// A form of one_of that is a mapping with the first field as its key: `{timestamp: T}`. Named like that field.
ConfigField form(std::vector<ConfigField> fields);

}  // namespace field
}  // namespace weir
