#include "runtime/expr/bind/binder.h"

#include "runtime/base/nearest.h"
#include "runtime/expr/bind/other_notation.h"
#include "runtime/expr/program/logic.h"

namespace weir::expr {

bool is_unknown(const Node& node) {
  const auto* c = dynamic_cast<const ConstantNode*>(&node);
  return c && c->unknown();
}

std::string shown_type(const Node& node) { return is_unknown(node) ? "unknown" : node.type().name(); }

NodePtr Binder::refuse(std::size_t offset, std::string text, std::string hint) {
  errors_.push_back({offset, std::move(text), std::move(hint)});
  return nullptr;
}

NodePtr Binder::bind_whole(const Syntax& s, const Type& literal) {
  NodePtr node = bind(s);
  if (node && is_unknown(*node)) return literal_as(*node, literal);
  return node;
}

NodePtr Binder::bind(const Syntax& s) {
  switch (s.kind) {
    case SyntaxKind::kNull: return std::make_unique<ConstantNode>(null_column(Type::varchar(), 1), s.offset, true);
    case SyntaxKind::kBoolean: return boolean_constant(s.text == "true", s.offset);
    case SyntaxKind::kNumber: return number(s);
    case SyntaxKind::kText: return text(s);
    case SyntaxKind::kColumn: return column(s);
    case SyntaxKind::kOperator: return operation(s);
    case SyntaxKind::kAnd:
    case SyntaxKind::kOr:
    case SyntaxKind::kNot: return junction(s);
    case SyntaxKind::kIsNull: return null_test(s);
    case SyntaxKind::kBooleanTest: return truth_test(s);
    case SyntaxKind::kDistinct: return comparison_or_distinct(s, std::nullopt);
    case SyntaxKind::kIn: return in_list(s);
    case SyntaxKind::kBetween: return between(s);
    case SyntaxKind::kLike: return like(s);
    case SyntaxKind::kCase: return case_of(s);
    case SyntaxKind::kCoalesce: return coalesce(s);
    case SyntaxKind::kGreatest:
    case SyntaxKind::kLeast: return extreme(s);
    case SyntaxKind::kNullIf: return null_if(s);
    case SyntaxKind::kCall: return call(s);
    case SyntaxKind::kCast: return cast(s);
    case SyntaxKind::kField: {
      NodePtr row = bind(s.parts[0]);
      return row ? member(std::move(row), s.text, s.offset) : nullptr;
    }
  }
  return nullptr;
}

bool Binder::bind_all(const std::vector<Syntax>& parts, std::size_t begin, std::vector<NodePtr>& out) {
  bool good = true;
  for (std::size_t i = begin; i < parts.size(); ++i) {
    out.push_back(bind(parts[i]));
    good &= out.back() != nullptr;
  }
  return good;
}

NodePtr Binder::bind_boolean(const Syntax& s, std::string_view where) {
  NodePtr node = bind(s);
  if (!node) return nullptr;
  if (is_unknown(*node)) return literal_as(*node, Type::boolean());
  if (node->type().kind() == TypeKind::kBoolean) return node;
  const std::string shown = s.kind == SyntaxKind::kColumn ? s.names.back() : std::string("x");
  const TypeKind kind = node->type().kind();
  const std::string condition = node->type().is_number()     ? shown + " <> 0"
                                : kind == TypeKind::kVarchar ? shown + " = 'true'"
                                                             : shown + " is not null";
  return refuse(s.offset, fmt::format("argument of {} must be type boolean, not {}", where, node->type().name()),
                "compare it with something, for example " + condition);
}

namespace {

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

/// The nearest name, else the first few there are.
std::string name_hint(std::string_view name, const std::vector<std::string>& names, std::string_view kind) {
  std::string hint = nearest_hint(name, names);
  if (!hint.empty() || names.empty()) return hint;
  hint = fmt::format("{} are ", kind);
  for (std::size_t i = 0; i < names.size() && i < 8; ++i) hint += (i ? ", " : "") + names[i];
  return names.size() > 8 ? hint + ", …" : hint;
}

std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& f : fields) names.push_back(f.name);
  return names;
}

/// The field that `name` stands for: exactly, or, if not quoted, the only one that differs in case alone. -1: none, -2:
/// several.
int find_field(const std::vector<Field>& fields, std::string_view name, bool quoted) {
  int found = -1;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return static_cast<int>(i);
    if (!quoted && same_letters(fields[i].name, name)) found = found == -1 ? static_cast<int>(i) : -2;
  }
  return found;
}

}  // namespace

namespace {

/// `write "ID" or "Id" in double quotes, in YAML '"ID"'`: all fields that differ from the name in case alone.
std::string ambiguity_hint(const std::vector<Field>& fields, std::string_view name) {
  std::string names, first;
  for (const Field& f : fields) {
    if (!same_letters(f.name, name)) continue;
    if (first.empty()) first = f.name;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : " or ", f.name);
  }
  return fmt::format("write {} in double quotes, in YAML: '\"{}\"'", names, first);
}

/// What a name that is no column was likely meant for.
std::string unknown_column_hint(const Syntax& s, const std::vector<Field>& fields) {
  const std::string& name = s.names[0];
  std::string hint = nearest_hint(name, names_of(fields));
  if (!hint.empty()) return hint;
  if (s.quoted) return fmt::format("a text stands in single quotes: '{}'", name);
  if (name == "none" || name == "nil" || name == "undefined") return "write null";
  if (name == "nan" || name == "infinity" || name == "inf")
    return fmt::format("write '{}'::double", name == "inf" ? "infinity" : name);
  if (name == "now" || name == "sysdate" || name == "systimestamp" || name == "proctime") return "write now()";
  if (name == "today" || name == "curdate") return "write current_date";
  if (!Registry::all().find(name).empty()) return fmt::format("write {}(...)", name);
  return name_hint(name, names_of(fields), "columns");
}

}  // namespace

std::optional<int> Binder::find_column(const Syntax& s) {
  const int found = find_field(schema_.fields(), s.names[0], s.quoted);
  if (found >= 0) return found;
  if (found == -2)
    refuse(s.offset, fmt::format("column name \"{}\" is ambiguous: several columns differ only in case", s.names[0]),
           ambiguity_hint(schema_.fields(), s.names[0]));
  else if (s.names.size() > 1)
    refuse(s.offset, fmt::format("unknown column \"{}\" (in \"{}.{}\")", s.names[0], s.names[0], s.names[1]),
           "columns have no table name here: write " + s.names.back());
  else refuse(s.offset, fmt::format("unknown column \"{}\"", s.names[0]), unknown_column_hint(s, schema_.fields()));
  return std::nullopt;
}

NodePtr Binder::column(const Syntax& s) {
  const std::optional<int> index = find_column(s);
  if (!index) return nullptr;
  columns_.insert(*index);
  NodePtr node = std::make_unique<ColumnNode>(*index, schema_[*index], s.offset);
  for (std::size_t i = 1; i < s.names.size() && node; ++i) node = member(std::move(node), s.names[i], s.offset);
  return node;
}

NodePtr Binder::member(NodePtr row, const std::string& name, std::size_t offset) {
  if (row->type().kind() != TypeKind::kRow)
    return refuse(offset,
                  fmt::format("\"{}\" is asked of a value of type {}, but only rows have members", name, row->type().name()),
                  Registry::all().find(name).empty() ? std::string() : fmt::format("write {}(...)", name));
  const std::vector<Field>& fields = row->type().children();
  const int found = find_field(fields, name, false);
  if (found >= 0) return std::make_unique<MemberNode>(std::move(row), found, offset);
  return refuse(
      offset,
      found == -2 ? fmt::format("member \"{}\" is ambiguous", name) : fmt::format("the row has no member \"{}\"", name),
      name_hint(name, names_of(fields), "members"));
}

NodePtr Binder::junction(const Syntax& s) {
  const char* word = s.kind == SyntaxKind::kAnd ? "AND" : s.kind == SyntaxKind::kOr ? "OR" : "NOT";
  std::vector<NodePtr> parts;
  bool good = true;
  for (const Syntax& p : s.parts) {
    parts.push_back(bind_boolean(p, word));
    good &= parts.back() != nullptr;
  }
  if (!good) return nullptr;
  if (s.kind == SyntaxKind::kNot) return make_not(std::move(parts[0]), s.offset);
  return s.kind == SyntaxKind::kAnd ? make_and(std::move(parts), s.offset) : make_or(std::move(parts), s.offset);
}

NodePtr Binder::null_test(const Syntax& s) {
  NodePtr part = bind(s.parts[0]);
  return part ? make_null_test(s.negated, std::move(part), s.offset) : nullptr;
}

NodePtr Binder::truth_test(const Syntax& s) {
  NodePtr part = bind_boolean(s.parts[0], "IS " + s.text);
  if (!part) return nullptr;
  const TruthTest test = s.text == "true" ? TruthTest::kTrue : s.text == "false" ? TruthTest::kFalse : TruthTest::kUnknown;
  return make_truth_test(test, s.negated, std::move(part), s.offset);
}

}  // namespace weir::expr
