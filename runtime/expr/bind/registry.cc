#include "runtime/expr/bind/registry.h"

#include <algorithm>

namespace weir::expr {

const Registry& Registry::all() {
  static const Registry registry = [] {
    Registry r;
    r.set_group("Numbers");
    add_integer_functions(r);
    add_double_functions(r);
    add_decimal_functions(r);
    r.set_group("Text");
    add_text_functions(r);
    add_text_search_functions(r);
    r.set_group("Bytes");
    add_bytes_functions(r);
    r.set_group("Time");
    add_time_functions(r);
    add_time_parts_functions(r);
    r.set_group("Other");
    add_miscellaneous_functions(r);
    return r;
  }();
  return registry;
}

std::span<const Signature* const> Registry::find(std::string_view name) const {
  const auto it = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                   [](const auto& e, std::string_view n) { return e.first < n; });
  if (it == by_name_.end() || it->first != name) return {};
  return it->second;
}

std::vector<std::string> Registry::function_names() const {
  std::vector<std::string> names;
  for (const auto& [name, forms] : by_name_)
    if (std::isalpha(static_cast<unsigned char>(name[0])) && !forms[0]->doc.empty()) names.emplace_back(name);
  return names;
}

void Registry::add(Signature signature) {
  signature.group = group_;
  signatures_.push_back(std::move(signature));
  const Signature* added = &signatures_.back();
  const auto it = std::lower_bound(by_name_.begin(), by_name_.end(), added->name,
                                   [](const auto& e, std::string_view n) { return e.first < n; });
  if (it != by_name_.end() && it->first == added->name) it->second.push_back(added);
  else by_name_.insert(it, {added->name, {added}});
}

std::string_view parameter_name(const Parameter& p) {
  if (p.any) return "any";
  switch (p.kind) {
    case TypeKind::kBoolean: return "boolean";
    case TypeKind::kInt: return "int";
    case TypeKind::kBigint: return "bigint";
    case TypeKind::kDouble: return "double";
    case TypeKind::kDecimal: return "decimal";
    case TypeKind::kVarchar: return "varchar";
    case TypeKind::kBytea: return "bytea";
    case TypeKind::kDate: return "date";
    case TypeKind::kTimestamp: return "timestamp";
    case TypeKind::kInterval: return "interval";
    case TypeKind::kRow: return "row";
    case TypeKind::kArray: return "array";
    case TypeKind::kMap: return "map";
    case TypeKind::kJson: return "json";
  }
  return "?";
}

Type type_of_parameter(const Parameter& p) {
  switch (p.kind) {
    case TypeKind::kBoolean: return Type::boolean();
    case TypeKind::kInt: return Type::integer();
    case TypeKind::kBigint: return Type::bigint();
    case TypeKind::kDouble: return Type::dbl();
    case TypeKind::kDecimal: return Type::decimal(10, 2);
    case TypeKind::kBytea: return Type::bytea();
    case TypeKind::kDate: return Type::date();
    case TypeKind::kTimestamp: return Type::timestamp();
    case TypeKind::kInterval: return Type::interval();
    case TypeKind::kJson: return Type::json();
    default: return Type::varchar();
  }
}

bool is_aggregate_name(std::string_view name) {
  static constexpr std::string_view kNames[] = {"any_value",
                                                "array_agg",
                                                "avg",
                                                "bool_and",
                                                "bool_or",
                                                "count",
                                                "cume_dist",
                                                "dense_rank",
                                                "every",
                                                "first",
                                                "first_value",
                                                "lag",
                                                "last",
                                                "last_value",
                                                "lead",
                                                "max",
                                                "min",
                                                "nth_value",
                                                "ntile",
                                                "percent_rank",
                                                "percentile_cont",
                                                "percentile_disc",
                                                "rank",
                                                "row_number",
                                                "stddev",
                                                "stddev_pop",
                                                "stddev_samp",
                                                "string_agg",
                                                "sum",
                                                "var_pop",
                                                "var_samp",
                                                "variance"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool is_known_elsewhere(std::string_view name) {
  static constexpr std::string_view kNames[] = {"acos",
                                                "age",
                                                "array_append",
                                                "array_length",
                                                "array_position",
                                                "array_to_string",
                                                "ascii",
                                                "asin",
                                                "atan",
                                                "atan2",
                                                "bit_length",
                                                "cardinality",
                                                "cbrt",
                                                "chr",
                                                "clock_timestamp",
                                                "cos",
                                                "cot",
                                                "date_bin",
                                                "degrees",
                                                "div",
                                                "format",
                                                "gcd",
                                                "gen_random_uuid",
                                                "initcap",
                                                "isfinite",
                                                "json_array_length",
                                                "json_build_array",
                                                "json_build_object",
                                                "json_extract_path",
                                                "json_extract_path_text",
                                                "json_typeof",
                                                "jsonb_array_length",
                                                "jsonb_extract_path",
                                                "jsonb_extract_path_text",
                                                "jsonb_typeof",
                                                "justify_days",
                                                "justify_hours",
                                                "justify_interval",
                                                "lcm",
                                                "log",
                                                "log10",
                                                "make_date",
                                                "make_interval",
                                                "make_timestamp",
                                                "md5",
                                                "normalize",
                                                "overlay",
                                                "parse_ident",
                                                "pi",
                                                "quote_ident",
                                                "quote_literal",
                                                "radians",
                                                "regexp_count",
                                                "regexp_instr",
                                                "regexp_like",
                                                "regexp_match",
                                                "regexp_matches",
                                                "regexp_replace",
                                                "regexp_split_to_array",
                                                "regexp_substr",
                                                "scale",
                                                "sha224",
                                                "sha256",
                                                "sha384",
                                                "sha512",
                                                "sin",
                                                "statement_timestamp",
                                                "string_to_array",
                                                "tan",
                                                "timezone",
                                                "to_char",
                                                "to_date",
                                                "to_hex",
                                                "to_json",
                                                "to_jsonb",
                                                "to_number",
                                                "translate",
                                                "trim_array",
                                                "trim_scale",
                                                "unnest",
                                                "width_bucket"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace weir::expr
