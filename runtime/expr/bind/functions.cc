#include "runtime/expr/bind/functions.h"

#include <algorithm>

#include "runtime/base/nearest.h"
#include "runtime/expr/aggregate/function.h"
#include "runtime/expr/bind/other_notation.h"
#include "runtime/expr/bind/registry.h"
#include "runtime/expr/expression.h"

namespace weir {

namespace {

using namespace expr;

/// What the grammar itself has.
const std::vector<FunctionDoc>& constructs() {
  static const std::vector<FunctionDoc> docs = {
      {"and", "boolean and boolean → boolean",
       "True if both are; the right side is computed only where the left is not false.", "true and null", "Logic"},
      {"or", "boolean or boolean → boolean", "True if one is; the right side is computed only where the left is not true.",
       "true or null", "Logic"},
      {"not", "not boolean → boolean", "The opposite; null stays null.", "not false", "Logic"},
      {"is null", "any is [not] null → boolean", "Whether there is no value.", "null is null", "Logic"},
      {"is true", "boolean is [not] true / false / unknown → boolean", "Whether it is that value; never null.",
       "null is not true", "Logic"},
      {"case", "case when CONDITION then X … [else Y] end; case V when W then X … [else Y] end",
       "The result behind the first condition that is true; only that one is computed.",
       "case when 1 > 2 then 'a' else 'b' end", "Logic"},
      {"coalesce", "coalesce(any, …) → any", "The first argument that is not null; later ones are not computed.",
       "coalesce(null, 1)", "Logic"},
      {"nullif", "nullif(any, any) → any", "Null if both are equal, else the first.", "nullif(1, 1)", "Logic"},
      {"greatest", "greatest(any, …) → any", "The greatest argument that is not null.", "greatest(1, 3, 2)", "Logic"},
      {"least", "least(any, …) → any", "The least argument that is not null.", "least(1, 3, 2)", "Logic"},
      {"=", "any = any → boolean", "Equal. NaN equals NaN; text compares byte by byte.", "1 = 1.0", "Comparison"},
      {"<>", "any <> any → boolean", "Not equal; also written !=.", "1 <> 2", "Comparison"},
      {"<", "any < any → boolean", "Less. NaN is above all numbers, false below true.", "1 < 2", "Comparison"},
      {"<=", "any <= any → boolean", "Less or equal.", "1 <= 2", "Comparison"},
      {">", "any > any → boolean", "Greater.", "2 > 1", "Comparison"},
      {">=", "any >= any → boolean", "Greater or equal.", "2 >= 1", "Comparison"},
      {"is distinct from", "any is [not] distinct from any → boolean", "Not equal, two nulls being equal; never null.",
       "null is distinct from 1", "Comparison"},
      {"in", "any [not] in (any, …) → boolean", "Equal to one of them.", "2 in (1, 2)", "Comparison"},
      {"between", "any [not] between [symmetric] any and any → boolean", "Within both bounds, which count.",
       "2 between 1 and 3", "Comparison"},
      {"cast", "cast(any as TYPE), any::TYPE, TYPE 'literal' → TYPE", "Converted; what cannot be is an error of its row.",
       "'12'::int", "Conversion"}};
  return docs;
}

bool is_operator(const Signature& s) {
  return !std::isalpha(static_cast<unsigned char>(s.name[0])) || s.name == "like" || s.name == "ilike";
}

std::string form_of(const Signature& s) {
  std::vector<Type> types;
  std::vector<std::string> names;
  for (const Parameter& p : s.parameters) {
    types.push_back(type_of_parameter(p));
    names.emplace_back(parameter_name(p));
  }
  std::string call;
  if (is_operator(s) && names.size() == 1) call = fmt::format("{} {}", s.name, names[0]);
  else if (is_operator(s) && names.size() == 2) call = fmt::format("{} {} {}", names[0], s.name, names[1]);
  else if (is_operator(s)) call = fmt::format("{} {} {} escape {}", names[0], s.name, names[1], names[2]);
  else call = fmt::format("{}({}{})", s.name, fmt::join(names, ", "), s.repeats_last ? ", …" : "");
  const Type result = s.result(types);
  return fmt::format("{} → {}", call, result.kind() == TypeKind::kDecimal ? "decimal" : result.name());
}

}  // namespace

const std::vector<FunctionDoc>& function_docs() {
  static const std::vector<FunctionDoc> docs = [] {
    std::vector<FunctionDoc> all = constructs();
    for (const Signature& s : Registry::all().signatures())
      if (!s.doc.empty())
        all.push_back({std::string(s.name), form_of(s), std::string(s.doc), std::string(s.example), std::string(s.group)});
    return all;
  }();
  return docs;
}

namespace {

const std::vector<FunctionDoc>& all_docs() {
  static const std::vector<FunctionDoc> docs = [] {
    std::vector<FunctionDoc> all = function_docs();
    all.insert(all.end(), aggregate_docs().begin(), aggregate_docs().end());
    return all;
  }();
  return docs;
}

}  // namespace

std::string function_list() {
  std::string out;
  std::vector<std::string> groups;
  for (const FunctionDoc& d : all_docs())
    if (std::find(groups.begin(), groups.end(), d.group) == groups.end()) groups.push_back(d.group);
  for (const std::string& group : groups) {
    out += fmt::format("{}{}\n", out.empty() ? "" : "\n", group);
    std::vector<std::string> seen;
    for (const FunctionDoc& d : all_docs()) {
      if (d.group != group || std::find(seen.begin(), seen.end(), d.name) != seen.end()) continue;
      seen.push_back(d.name);
      out += fmt::format("  {:<18} {}\n", d.name, d.doc);
    }
  }
  return out + "\n`weir functions NAME` shows the forms and examples of one.\n";
}

namespace {

/// `1 + 2 → 3`.
std::string example_line(const std::string& example) {
  std::vector<ExpressionError> problems;
  const ExpressionPtr e = Expression::compile(example, Schema(), problems);
  if (!e) return example;
  std::vector<RowError> errors;
  const RecordBatch one(std::make_shared<Schema>(), {}, 1);
  const ColumnPtr value = e->evaluate(one, nullptr, {}, errors);
  std::string out = example + " → ";
  if (errors.empty()) append_value(out, *value, 0);
  else out += "error: " + errors[0].reason;
  return out;
}

}  // namespace

std::optional<std::string> function_reference(std::string_view name) {
  std::string out;
  for (const FunctionDoc& d : all_docs()) {
    if (d.name != name) continue;
    out += fmt::format("{}{}\n  {}\n", out.empty() ? "" : "\n", d.form, d.doc);
    if (!d.note.empty()) out += fmt::format("  {}\n", d.note);
    if (!d.example.empty()) out += fmt::format("  {}\n", example_line(d.example));
  }
  if (out.empty()) return std::nullopt;
  return out;
}

std::string function_name_hint(std::string_view name) {
  if (const std::string_view other = function_of_other_dialect(name); !other.empty()) return std::string(other);
  std::vector<std::string> names;
  for (const FunctionDoc& d : all_docs()) names.push_back(d.name);
  return nearest_hint(name, names);
}

}  // namespace weir
