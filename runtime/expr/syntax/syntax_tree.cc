#include "runtime/expr/syntax/syntax_tree.h"

namespace weir::expr {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

namespace {

std::string_view text_of(object o, std::string_view key) {
  std::string_view v;
  if (o[key].get(v)) return {};
  return v;
}

/// The strings of a list of String nodes.
std::vector<std::string> words_of(object o, std::string_view key) {
  std::vector<std::string> words;
  array list;
  if (o[key].get(list)) return words;
  for (element e : list) {
    std::string_view v;
    if (!e["String"]["sval"].get(v)) words.emplace_back(v);
  }
  return words;
}

Syntax make(SyntaxKind kind, std::size_t at, std::string_view text = {}) {
  Syntax s;
  s.kind = kind;
  s.offset = at;
  s.text = text;
  return s;
}

bool has(object o, std::string_view key) { return !o[key].error(); }

}  // namespace

void TreeReader::refuse(std::size_t offset, std::string text, std::string hint) {
  errors_.push_back({std::min(offset, text_.size()), std::move(text), std::move(hint)});
}

std::size_t TreeReader::place(object body, std::size_t otherwise) const {
  std::int64_t at;
  if (body["location"].get(at) || at < static_cast<std::int64_t>(prefix_)) return otherwise;
  return static_cast<std::size_t>(at) - prefix_;
}

std::size_t TreeReader::end_of_word(std::size_t at) const {
  const auto word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<signed char>(c) < 0;
  };
  while (at < text_.size() && word(text_[at])) ++at;
  return at;
}

/// The integer literal that a merged minus sign at `at` belongs to, as in `-5`, `- ( /* five */ 5 )`; 0 if there is no
/// minus.
std::int64_t TreeReader::digits_behind_minus(std::size_t at) const {
  while (at < text_.size() && !std::isdigit(static_cast<unsigned char>(text_[at]))) {
    const std::string_view rest = text_.substr(at);
    std::size_t skip = 1;
    if (rest.starts_with("--")) {
      skip = std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      int depth = 0;
      skip = 0;
      do {
        if (rest.substr(skip).starts_with("/*")) ++depth, ++skip;
        else if (rest.substr(skip).starts_with("*/")) --depth, ++skip;
        ++skip;
      } while (depth > 0 && skip < rest.size());
    }
    at += skip;
  }
  std::int64_t n = 0;
  for (; at < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at])) && n < (std::int64_t{1} << 32); ++at)
    n = n * 10 + (text_[at] - '0');
  return n;
}

void TreeReader::read_all(array nodes, Syntax& into) {
  for (element e : nodes) into.parts.push_back(read(e, into.offset));
}

Syntax TreeReader::read(element node, std::size_t parent) {
  object wrapper, body;
  if (node.get(wrapper) || wrapper.begin() == wrapper.end()) return make(SyntaxKind::kNull, parent);
  const auto entry = *wrapper.begin();
  const std::string_view kind = entry.key;
  if (entry.value.get(body)) return unsupported(kind, parent);
  const std::size_t at = place(body, parent);
  if (kind == "A_Const") return constant(body, at);
  if (kind == "ColumnRef") return column(body, at);
  if (kind == "A_Expr") return operation(body, at);
  if (kind == "BoolExpr") return boolean_operation(body, at);
  if (kind == "NullTest") return null_test(body, at);
  if (kind == "BooleanTest") return boolean_test(body, at);
  if (kind == "CaseExpr") return case_of(body, at);
  if (kind == "FuncCall") return call(body, at);
  if (kind == "TypeCast") return cast(body, at);
  if (kind == "A_Indirection") return member(body, at);
  if (kind == "MinMaxExpr") return minimum_or_maximum(body, at);
  if (kind == "SQLValueFunction") return value_function(body, at);
  if (kind == "CoalesceExpr") {
    Syntax s = make(SyntaxKind::kCoalesce, at);
    array args;
    if (!body["args"].get(args)) read_all(args, s);
    return s;
  }
  return unsupported(kind, at);
}

Syntax TreeReader::unsupported(std::string_view kind, std::size_t at) {
  struct Known {
    std::string_view kind, text, hint;
  };
  static constexpr Known kKnown[] = {
      {"SubLink", "subqueries are not supported yet", "a list of values is written in (1, 2)"},
      {"ParamRef", "parameters like $1 cannot stand in an expression",
       "write the value, or ${NAME} for an environment variable"},
      {"RowExpr", "row values are not supported yet", ""},
      {"A_ArrayExpr", "array[...] is not supported yet", ""},
      {"CollateClause", "collate is not supported yet", "text compares byte by byte"},
      {"GroupingFunc", "grouping() belongs into an aggregate step", ""},
      {"XmlExpr", "XML functions are not supported yet", ""},
      {"XmlSerialize", "XML functions are not supported yet", ""},
      {"SetToDefault", "`default` is no value", "to name a column, write \"default\""},
      {"NamedArgExpr", "named arguments are not supported yet", "give the arguments in order"},
      {"CurrentOfExpr", "`current of` cannot stand in an expression", ""},
  };
  for (const Known& k : kKnown)
    if (k.kind == kind) {
      refuse(at, std::string(k.text), std::string(k.hint));
      return make(SyntaxKind::kNull, at);
    }
  refuse(at, fmt::format("this is not supported yet: {}", kind));
  return make(SyntaxKind::kNull, at);
}

Syntax TreeReader::constant(object body, std::size_t at) {
  object value;
  bool null = false;
  if (!body["isnull"].get(null) && null) return make(SyntaxKind::kNull, at);
  if (!body["ival"].get(value)) {
    std::int64_t n = 0;
    if (value["ival"].get(n)) n = -digits_behind_minus(at);  // left out unless positive
    return make(SyntaxKind::kNumber, at, std::to_string(n));
  }
  if (!body["fval"].get(value)) return make(SyntaxKind::kNumber, at, text_of(value, "fval"));
  if (!body["boolval"].get(value)) {
    bool b = false;
    if (value["boolval"].get(b)) b = false;  // absent when false
    return make(SyntaxKind::kBoolean, at, b ? "true" : "false");
  }
  if (!body["sval"].get(value)) return make(SyntaxKind::kText, at, text_of(value, "sval"));
  refuse(at, "bit strings are not supported yet", "write bytes as '\\x00ff'::bytea");
  return make(SyntaxKind::kNull, at);
}

Syntax TreeReader::column(object body, std::size_t at) {
  Syntax s = make(SyntaxKind::kColumn, at);
  array fields;
  if (body["fields"].get(fields)) return s;
  for (element e : fields) {
    std::string_view name;
    if (e["String"]["sval"].get(name)) {
      refuse(at, "`*` cannot stand in an expression",
             "name the column; all columns are chosen with `\"*\": true` in a select");
      return make(SyntaxKind::kNull, at);
    }
    s.names.emplace_back(name);
  }
  s.quoted = at < text_.size() && text_[at] == '"';
  // The parser cuts names at 63 bytes; take a longer one from the text.
  if (s.names.size() == 1 && s.names[0].size() >= 60) {
    if (!s.quoted) {
      s.names[0] = text_.substr(at, end_of_word(at) - at);
      for (char& c : s.names[0]) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    } else {
      std::string whole;
      for (std::size_t i = at + 1; i < text_.size(); ++i) {
        if (text_[i] == '"' && (i + 1 == text_.size() || text_[++i] != '"')) break;
        whole += text_[i];
      }
      s.names[0] = whole;
    }
  }
  return s;
}

Syntax TreeReader::operation(object body, std::size_t at) {
  const std::string_view kind = text_of(body, "kind");
  const std::vector<std::string> names = words_of(body, "name");
  Syntax s = make(SyntaxKind::kOperator, at, names.empty() ? "" : names.back());
  if (names.size() > 1 && names[0] != "pg_catalog") refuse(at, "operator(...) names are not supported yet");
  element left, right;
  const bool has_left = !body["lexpr"].get(left);
  if (has_left && !left.is_array()) s.parts.push_back(read(left, at));
  if (kind == "AEXPR_IN" || kind.starts_with("AEXPR_BETWEEN") || kind.starts_with("AEXPR_NOT_BETWEEN")) {
    s.negated = kind == "AEXPR_IN" ? s.text == "<>" : kind.starts_with("AEXPR_NOT");
    s.symmetric = kind.ends_with("_SYM");
    s.kind = kind == "AEXPR_IN" ? SyntaxKind::kIn : SyntaxKind::kBetween;
    return list_operation(body, std::move(s));
  }
  if (kind == "AEXPR_LIKE" || kind == "AEXPR_ILIKE") return like(body, std::move(s));
  if (!body["rexpr"].get(right)) s.parts.push_back(read(right, at));
  if (kind == "AEXPR_OP") return s;
  if (kind == "AEXPR_DISTINCT" || kind == "AEXPR_NOT_DISTINCT") {
    s.kind = SyntaxKind::kDistinct;
    s.negated = kind == "AEXPR_NOT_DISTINCT";
    return s;
  }
  if (kind == "AEXPR_NULLIF") {
    s.kind = SyntaxKind::kNullIf;
    return s;
  }
  if (kind == "AEXPR_SIMILAR") refuse(at, "similar to is not supported yet", "use like, with % and _");
  else if (kind == "AEXPR_OP_ANY" || kind == "AEXPR_OP_ALL")
    refuse(at, "any(array) and all(array) are not supported yet", "use in (...)");
  else refuse(at, fmt::format("this operator is not supported yet: {}", s.text));
  return s;
}

Syntax TreeReader::list_operation(object body, Syntax s) {
  array items;
  if (!body["rexpr"]["List"]["items"].get(items)) read_all(items, s);
  return s;
}

/// The operator is `~~` for like, `~~*` for ilike, with `!` in front if negated.
Syntax TreeReader::like(object body, Syntax s) {
  s.negated = s.text.starts_with('!');
  s.kind = SyntaxKind::kLike;
  const bool any_case = s.text.ends_with('*');
  element pattern = body["rexpr"];
  array with_escape;
  if (!pattern["FuncCall"].error() && words_of(pattern["FuncCall"], "funcname").back() == "like_escape") {
    if (!pattern["FuncCall"]["args"].get(with_escape)) read_all(with_escape, s);
  } else {
    s.parts.push_back(read(pattern, s.offset));
  }
  s.text = any_case ? "ilike" : "like";
  return s;
}

Syntax TreeReader::boolean_operation(object body, std::size_t at) {
  const std::string_view op = text_of(body, "boolop");
  Syntax s = make(op == "AND_EXPR" ? SyntaxKind::kAnd : op == "OR_EXPR" ? SyntaxKind::kOr : SyntaxKind::kNot, at);
  array args;
  if (!body["args"].get(args)) read_all(args, s);
  return s;
}

Syntax TreeReader::null_test(object body, std::size_t at) {
  Syntax s = make(SyntaxKind::kIsNull, at);
  s.negated = text_of(body, "nulltesttype") == "IS_NOT_NULL";
  s.parts.push_back(read(body["arg"], at));
  return s;
}

Syntax TreeReader::boolean_test(object body, std::size_t at) {
  std::string_view test = text_of(body, "booltesttype");
  test.remove_prefix(std::string_view("IS_").size());
  Syntax s = make(SyntaxKind::kBooleanTest, at);
  s.negated = test.starts_with("NOT_");
  if (s.negated) test.remove_prefix(4);
  s.text = test == "TRUE" ? "true" : test == "FALSE" ? "false" : "unknown";
  s.parts.push_back(read(body["arg"], at));
  return s;
}

Syntax TreeReader::case_of(object body, std::size_t at) {
  Syntax s = make(SyntaxKind::kCase, at);
  element part;
  s.has_operand = !body["arg"].get(part);
  if (s.has_operand) s.parts.push_back(read(part, at));
  array whens;
  if (!body["args"].get(whens))
    for (element when : whens) {
      s.parts.push_back(read(when["CaseWhen"]["expr"], at));
      s.parts.push_back(read(when["CaseWhen"]["result"], at));
    }
  s.has_else = !body["defresult"].get(part);
  if (s.has_else) s.parts.push_back(read(part, at));
  return s;
}

Syntax TreeReader::call(object body, std::size_t at) {
  const std::vector<std::string> names = words_of(body, "funcname");
  Syntax s = make(SyntaxKind::kCall, at, names.empty() ? "" : names.back());
  if (names.size() > 1 && names[0] != "pg_catalog")
    refuse(at, fmt::format("functions have no schema here: {}.{}", names[0], s.text), "write " + s.text + "(...)");
  if (has(body, "over"))
    refuse(at, "window calls (over ...) are not supported yet",
           "values of groups come from an aggregate step, the newest row of a key from dedup: { by: [k], keep: last }");
  if (!aggregate_parts(body, s)) return s;
  if (has(body, "func_variadic")) refuse(at, "variadic is not supported yet");
  array args;
  if (!body["args"].get(args)) read_all(args, s);
  return s;
}

/// Reads what only aggregate calls have. False if that was refused.
bool TreeReader::aggregate_parts(object body, Syntax& s) {
  struct Part {
    const char* key;
    const char* name;
    bool supported;
  };
  static constexpr Part kParts[] = {{"agg_filter", "filter", true},
                                    {"agg_order", "order by", false},
                                    {"agg_distinct", "distinct", true},
                                    {"agg_star", "*", true},
                                    {"agg_within_group", "within group", false}};
  for (const Part& part : kParts) {
    if (!has(body, part.key) || (aggregates_ && part.supported)) continue;
    if (aggregates_) refuse(s.offset, fmt::format("{}(...) with {} is not supported yet", s.text, part.name));
    else
      refuse(
          s.offset,
          fmt::format("{}(...) with {} is an aggregate call, which can only stand in an aggregate step", s.text, part.name),
          fmt::format("aggregate: {{ by: [column], select: {{ x: \"{}(...)\" }} }}", s.text));
    return false;
  }
  s.star = has(body, "agg_star");
  s.distinct = has(body, "agg_distinct");
  if (has(body, "agg_filter")) s.filter.push_back(read(body["agg_filter"], s.offset));
  return true;
}

TypeSyntax TreeReader::type_name(object body, std::size_t at) {
  TypeSyntax t;
  t.offset = place(body, at);
  const std::vector<std::string> names = words_of(body, "names");
  t.name = names.empty() ? "" : names.back();
  t.array = has(body, "arrayBounds");
  if (has(body, "setof")) refuse(t.offset, "setof is not supported yet");
  array modifiers;
  if (!body["typmods"].get(modifiers))
    for (element m : modifiers) {
      std::int64_t n = 0;
      if (m["A_Const"]["ival"].error()) refuse(t.offset, "the length of a type must be a number");
      else if (m["A_Const"]["ival"]["ival"].get(n)) n = 0;
      t.modifiers.push_back(static_cast<int>(n));
    }
  return t;
}

Syntax TreeReader::cast(object body, std::size_t at) {
  Syntax s = make(SyntaxKind::kCast, at);
  s.type = type_name(body["typeName"], at);
  if (!has(body, "location") || place(body, text_.size() + 1) > text_.size()) s.offset = s.type.offset;
  s.parts.push_back(read(body["arg"], s.offset));
  return s;
}

Syntax TreeReader::member(object body, std::size_t at) {
  Syntax s = read(body["arg"], at);
  array steps;
  if (body["indirection"].get(steps)) return s;
  for (element e : steps) {
    std::string_view name;
    if (e["String"]["sval"].get(name)) {
      refuse(s.offset, "subscripts like x[1] are not supported yet", "a member of a row is written x.name");
      return s;
    }
    Syntax outer = make(SyntaxKind::kField, s.offset, name);
    outer.parts.push_back(std::move(s));
    s = std::move(outer);
  }
  return s;
}

Syntax TreeReader::minimum_or_maximum(object body, std::size_t at) {
  Syntax s = make(text_of(body, "op") == "IS_GREATEST" ? SyntaxKind::kGreatest : SyntaxKind::kLeast, at);
  array args;
  if (!body["args"].get(args)) read_all(args, s);
  return s;
}

Syntax TreeReader::value_function(object body, std::size_t at) {
  const std::string_view op = text_of(body, "op");
  const std::string word(text_.substr(at, end_of_word(at) - at));
  if (op == "SVFOP_CURRENT_TIMESTAMP" || op == "SVFOP_LOCALTIMESTAMP") return make(SyntaxKind::kCall, at, "now");
  if (op == "SVFOP_CURRENT_DATE") return make(SyntaxKind::kCall, at, "current_date");
  if (op == "SVFOP_CURRENT_TIMESTAMP_N" || op == "SVFOP_LOCALTIMESTAMP_N" || op.starts_with("SVFOP_CURRENT_TIME") ||
      op.starts_with("SVFOP_LOCALTIME")) {
    refuse(at, fmt::format("{} is not supported yet", op.ends_with("_N") ? word + "(n)" : word), "use current_timestamp");
    return make(SyntaxKind::kNull, at);
  }
  refuse(at, fmt::format("`{}` is a keyword here, not a column", word), fmt::format("to name a column, write \"{}\"", word));
  return make(SyntaxKind::kNull, at);
}

}  // namespace weir::expr
