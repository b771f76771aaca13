#pragma once
#include <string>
#include <vector>

#include "runtime/config/field.h"

namespace weir {

enum class ComponentKind { kConnection, kSource, kStep, kSink, kFormat, kSection };

/// `connection`, `source`, `step`, `sink`, `format`, `section`.
const char* to_string(ComponentKind kind);

/// What a component is and which keys it has. Declared once beside the component; parsing, validation, the reference pages
/// and the JSON schema all come from it.
///
///     const Declaration kDeclaration{
///         .kind = ComponentKind::kSource,
///         .name = "stdin",
///         .summary = "Reads rows from standard input.",
///         .caveats = {"Cannot be replayed: no restore, no exactly_once."},
///         .fields = {field::integer("rows").at_least(1).doc("Stops after that many rows.")},
///         .examples = {"type: stdin\nformat: csv"}};
///
/// `fields` are the component's own keys; those that all of its kind share (common_fields.h) are added by the reader. A
/// step's fields hold the field that is its operation, called like the step (`filter`).
struct Declaration {
  ComponentKind kind = ComponentKind::kSource;
  std::string name;                  ///< `kafka`: the value of `type`, or the operation's key
  std::string summary;               ///< one sentence
  std::vector<std::string> caveats;  ///< sentences
  std::vector<ConfigField> fields;
  /// Groups of keys of which exactly one must be given.
  std::vector<std::vector<std::string>> exactly_one = {};
  /// Groups of keys of which at most one may be given.
  std::vector<std::vector<std::string>> at_most_one = {};
  std::vector<std::string> examples = {};  ///< YAML of the component's mapping
  /// The format when none is written; "": the component takes neither `format` nor `schema`. Sources and sinks only.
  std::string default_format = "json";
  /// Steps: the names of outputs besides the unnamed one and `errors` (`late`).
  std::vector<std::string> outputs = {};
  /// Steps: False where there is no `from` (sql).
  bool takes_input = true;
  /// Steps: True where `from` may be a list (union).
  bool takes_many_inputs = false;
  /// False: a name of the language that is not built; using it is refused as `not supported yet`.
  bool supported = true;
};

}  // namespace weir
