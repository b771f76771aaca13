#include "runtime/base/nearest.h"
#include "runtime/data/decimal.h"
#include "runtime/expr/bind/binder.h"
#include "runtime/expr/bind/cast.h"
#include "runtime/expr/bind/other_notation.h"
#include "runtime/expr/program/logic.h"
#include "runtime/expr/text/calendar.h"
#include "runtime/expr/text/like.h"

namespace weir::expr {

namespace {

std::optional<Comparison> comparison_named(std::string_view symbol) {
  if (symbol == "=") return Comparison::kEqual;
  if (symbol == "<>") return Comparison::kNotEqual;
  if (symbol == "<") return Comparison::kLess;
  if (symbol == "<=") return Comparison::kLessOrEqual;
  if (symbol == ">") return Comparison::kGreater;
  if (symbol == ">=") return Comparison::kGreaterOrEqual;
  return std::nullopt;
}

std::string types_of(const std::vector<NodePtr>& arguments) {
  std::string s;
  for (const NodePtr& a : arguments) s += (s.empty() ? "" : ", ") + shown_type(*a);
  return s;
}

bool is_symbol(std::string_view name) { return !std::isalpha(static_cast<unsigned char>(name[0])) && name[0] != '_'; }

const Parameter& parameter(const Signature& s, std::size_t i) { return s.parameters[std::min(i, s.parameters.size() - 1)]; }

bool takes(const Signature& s, std::size_t arguments) {
  return s.parameters.size() == arguments || (s.repeats_last && arguments >= s.parameters.size());
}

/// What calling this form with these arguments costs in conversions, or nothing if it cannot be called so.
std::optional<int> cost_of(const Signature& s, const std::vector<NodePtr>& arguments) {
  if (!takes(s, arguments.size())) return std::nullopt;
  int cost = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& p = parameter(s, i);
    if (p.any) {
      cost += 4;
    } else if (is_unknown(*arguments[i])) {
      cost += p.kind == TypeKind::kVarchar ? 0 : 1;
    } else {
      const std::optional<int> one = implicit_cost(arguments[i]->type().kind(), p.kind);
      if (!one) return std::nullopt;
      cost += *one;
    }
  }
  return cost;
}

}  // namespace

NodePtr Binder::operation(const Syntax& s) {
  if (s.parts.size() == 2)
    if (const std::optional<Comparison> c = comparison_named(s.text)) return comparison_or_distinct(s, c);
  std::vector<NodePtr> operands;
  if (!bind_all(s.parts, 0, operands)) return nullptr;
  if (s.text == "->" || s.text == "->>" || s.text == "#>" || s.text == "#>>" || s.text == "@>" || s.text == "<@" ||
      s.text == "?")
    return refuse(s.offset, fmt::format("operator {} on json is not supported yet", s.text),
                  "declare the member in the source's schema");
  if (s.text.starts_with('~') || s.text.starts_with("!~"))
    return refuse(s.offset, fmt::format("operator {} (regular expressions) is not supported yet", s.text),
                  "use like, with % and _");
  if (s.text == "||" && operands.size() == 2) make_text_of_other_side(operands);
  return resolve(s.text, std::move(operands), s);
}

NodePtr Binder::comparison_or_distinct(const Syntax& s, std::optional<Comparison> c) {
  NodePtr left = bind(s.parts[0]), right = bind(s.parts[1]);
  if (!left || !right) return nullptr;
  if (c) return comparison(*c, std::move(left), std::move(right), s.offset);
  if (!match_sides(left, right, "is distinct from", s.offset)) return nullptr;
  if (!is_comparable(left->type()))
    return refuse(s.offset, fmt::format("operator does not exist: {0} = {0}", left->type().name()),
                  "cast it to varchar to compare its text");
  return make_distinct(s.negated, std::move(left), std::move(right), s.offset);
}

NodePtr Binder::comparison(Comparison c, NodePtr left, NodePtr right, std::size_t offset) {
  if (!match_sides(left, right, symbol_of(c), offset)) return nullptr;
  const bool equality = c == Comparison::kEqual || c == Comparison::kNotEqual;
  if (equality ? !is_comparable(left->type()) : !is_ordered(left->type()))
    return refuse(offset, fmt::format("operator does not exist: {0} {1} {0}", left->type().name(), symbol_of(c)),
                  left->type().kind() == TypeKind::kJson ? "cast it to varchar to compare its text"
                                                         : "only = and <> compare such values");
  return make_comparison(c, std::move(left), std::move(right), offset);
}

std::optional<std::pair<NodePtr, NodePtr>> Binder::bind_equality(const Syntax& left, Binder& over_right, const Syntax& right,
                                                                 std::size_t offset) {
  NodePtr l = bind(left), r = over_right.bind(right);
  if (!l || !r || !match_sides(l, r, "=", offset) || !is_comparable(l->type())) return std::nullopt;
  if (!(l->type() == r->type())) {  // decimals: comparisons take any two, keys must be alike
    const Type type = Type::decimal(kDecimalDigits, std::max(l->type().scale(), r->type().scale()));
    for (NodePtr* side : {&l, &r})
      if (!((*side)->type() == type)) *side = make_cast(std::move(*side), type, offset);
  }
  return std::pair(std::move(l), std::move(r));
}

NodePtr Binder::call(const Syntax& s) {
  if (is_aggregate_name(s.text) && Registry::all().find(s.text).empty())
    return refuse(s.offset, fmt::format("{} is an aggregate function, which can only stand in an aggregate step", s.text),
                  fmt::format("aggregate: {{ by: [column], select: {{ x: \"{}(...)\" }} }}", s.text));
  std::vector<NodePtr> arguments;
  const std::size_t before = errors_.size();
  if (!bind_all(s.parts, 0, arguments)) {
    const bool takes_part = s.text == "date_trunc" || s.text == "date_part";
    if (takes_part && !s.parts.empty() && !arguments[0] && s.parts[0].kind == SyntaxKind::kColumn && errors_.size() > before)
      errors_[before].hint = fmt::format("write '{}'", s.parts[0].names.back());
    return nullptr;
  }
  if (s.text == "extract" || s.text == "date_part") return extract(s.text, std::move(arguments), s);
  return resolve(s.text, std::move(arguments), s);
}

NodePtr Binder::resolve(std::string_view name, std::vector<NodePtr> arguments, const Syntax& s) {
  bool ambiguous = false;
  const Signature* chosen = choose(name, arguments, ambiguous);
  if (!chosen || ambiguous) return no_such_form(name, arguments, s, ambiguous);
  return apply(*chosen, std::move(arguments), s);
}

/// The form with the cheapest conversions. In a binary operator a plain literal is first taken for the other side's type.
const Signature* Binder::choose(std::string_view name, const std::vector<NodePtr>& arguments, bool& ambiguous) const {
  const auto forms = Registry::all().find(name);
  if (arguments.size() == 2 && is_symbol(name) && is_unknown(*arguments[0]) != is_unknown(*arguments[1])) {
    const TypeKind known = (is_unknown(*arguments[0]) ? arguments[1] : arguments[0])->type().kind();
    for (const Signature* f : forms)
      if (f->parameters.size() == 2 && !f->parameters[0].any && f->parameters[0].kind == known &&
          f->parameters[1].kind == known)
        return f;
  }
  const Signature* best = nullptr;
  int least = 0, unknowns = 0;
  for (const NodePtr& a : arguments) unknowns += is_unknown(*a);
  ambiguous = false;
  for (const Signature* f : forms) {
    const std::optional<int> cost = cost_of(*f, arguments);
    if (!cost) continue;
    if (best && *cost == least && unknowns) ambiguous = true;
    if (!best || *cost < least) {
      best = f;
      least = *cost;
      ambiguous = false;
    }
  }
  return best;
}

/// Converts an argument to what its parameter takes. Decimals keep their shape; a literal gets the one it needs.
NodePtr Binder::fit_argument(const Parameter& p, NodePtr argument, std::string_view function) {
  const bool literal = is_unknown(*argument);
  if (p.any) return literal ? literal_as(*argument, Type::varchar()) : std::move(argument);
  if (p.kind != TypeKind::kDecimal) {
    if (!literal && argument->type().kind() == p.kind) return argument;
    return coerce(std::move(argument), type_of_parameter(p), function);
  }
  Type type = as_decimal(*argument);
  if (literal) {
    const ColumnPtr value = argument->constant();
    const auto shape = value->valid(0) ? decimal_shape(value->text(0)) : std::nullopt;
    type = shape ? Type::decimal(shape->precision, shape->scale) : Type::decimal(kDecimalDigits, 0);
  }
  return coerce(std::move(argument), type, function);
}

NodePtr Binder::apply(const Signature& f, std::vector<NodePtr> arguments, const Syntax& s) {
  std::vector<Type> types;
  int scale = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = fit_argument(parameter(f, i), std::move(arguments[i]), f.name);
    if (!arguments[i]) return nullptr;
    types.push_back(arguments[i]->type());
    scale = std::max(scale, types.back().scale());
  }
  const Type result = f.result(types);
  if (f.decimals == DecimalRule::kSameScale)
    for (NodePtr& a : arguments) {
      const int whole = a->type().precision() - a->type().scale();
      const std::size_t at = a->offset();
      a = make_cast(std::move(a), Type::decimal(std::min(whole + scale, kDecimalDigits), scale), at);
    }
  return make_call({f.kernel, result, f.nulls, f.may_give_null, f.deterministic}, std::move(arguments), s.offset);
}

namespace {

/// What to do about operands that an operator does not take.
std::string operand_hint(std::string_view name, const std::vector<NodePtr>& operands) {
  const auto is_text = [](const NodePtr& n) { return is_unknown(*n) || n->type().kind() == TypeKind::kVarchar; };
  const auto is_boolean = [](const NodePtr& n) { return n->type().kind() == TypeKind::kBoolean; };
  const auto all = [&](const auto& is) { return std::all_of(operands.begin(), operands.end(), is); };
  const auto any = [&](const auto& is) { return std::any_of(operands.begin(), operands.end(), is); };
  if (name == "+" && all(is_text)) return "texts are put together with ||";
  if (name == "||" && all(is_boolean)) return "write or";
  if (name == "||" && find_cast(operands[0]->type().kind(), TypeKind::kVarchar))
    return "make a text of one side: x::varchar";
  if (any(is_text) && any([](const NodePtr& n) { return n->type().is_number(); }))
    return "make a number of the text: x::double";
  std::string forms;
  for (const Signature* f : Registry::all().find(name)) {
    if (f->parameters.size() != operands.size()) continue;
    const std::string first(parameter_name(f->parameters[0]));
    forms += forms.empty() ? "it takes " : ", ";
    forms += operands.size() == 1 ? fmt::format("{} {}", name, first)
                                  : fmt::format("{} {} {}", first, name, parameter_name(f->parameters[1]));
  }
  return forms;
}

}  // namespace

NodePtr Binder::no_such_form(std::string_view name, const std::vector<NodePtr>& arguments, const Syntax& s, bool ambiguous) {
  const auto forms = Registry::all().find(name);
  if (is_symbol(name)) {
    const std::string shown = arguments.size() == 1
                                  ? fmt::format("{} {}", name, shown_type(*arguments[0]))
                                  : fmt::format("{} {} {}", shown_type(*arguments[0]), name, shown_type(*arguments[1]));
    if (ambiguous) return refuse(s.offset, "operator is not unique: " + shown, "add a cast, for example '1'::int");
    if (const std::string_view hint = operator_of_other_dialect(name); !hint.empty())
      return refuse(s.offset, "operator does not exist: " + shown, std::string(hint));
    if (forms.empty()) return refuse(s.offset, fmt::format("operator {} is not supported yet", name));
    return refuse(s.offset, "operator does not exist: " + shown, operand_hint(name, arguments));
  }
  if (ambiguous)
    return refuse(s.offset, fmt::format("function is not unique: {}({})", name, types_of(arguments)),
                  "add a cast to an argument");
  if (forms.empty()) {
    std::string hint(function_of_other_dialect(name));
    if (is_known_elsewhere(name)) return refuse(s.offset, fmt::format("function {} is not supported yet", name), hint);
    if (hint.empty()) hint = nearest_hint(name, Registry::all().function_names());
    return refuse(s.offset, fmt::format("unknown function \"{}\"", name),
                  hint.empty() ? "`weir functions` lists them" : hint);
  }
  std::string hint;
  for (const Signature* f : forms) {
    hint += hint.empty() ? "it takes " : ", or ";
    hint += f->name;
    hint += '(';
    for (std::size_t i = 0; i < f->parameters.size(); ++i) {
      const Parameter& p = f->parameters[i];
      hint += i ? ", " : "";
      hint += parameter_name(p);
    }
    hint += f->repeats_last ? ", …)" : ")";
  }
  return refuse(s.offset, fmt::format("function {}({}) does not exist", name, types_of(arguments)), hint);
}

/// `x || y` makes text of what is none, if the other side is text.
void Binder::make_text_of_other_side(std::vector<NodePtr>& operands) {
  const auto text = [](const Node& n) { return is_unknown(n) || n.type().kind() == TypeKind::kVarchar; };
  for (std::size_t k = 0; k < 2; ++k) {
    NodePtr& n = operands[k];
    const Node& other = *operands[1 - k];
    if (text(*n) || !text(other) || n->type().kind() == TypeKind::kBytea) continue;
    const std::size_t at = n->offset();
    n = make_cast(std::move(n), Type::varchar(), at);
  }
}

NodePtr Binder::like(const Syntax& s) {
  std::vector<NodePtr> operands;
  if (!bind_all(s.parts, 0, operands)) return nullptr;
  NodePtr result = resolve(s.text, std::move(operands), s);
  return result && s.negated ? make_not(std::move(result), s.offset) : std::move(result);
}

/// The field decides the type, so it must be a literal.
NodePtr Binder::extract(std::string_view name, std::vector<NodePtr> arguments, const Syntax& s) {
  bool ambiguous = false;
  const Signature* chosen = choose(name, arguments, ambiguous);
  if (!chosen || ambiguous) return no_such_form(name, arguments, s, ambiguous);
  const ColumnPtr literal = arguments[0]->constant();
  if (!literal || !literal->valid(0))
    return refuse(arguments[0]->offset(), "the field to extract must be a literal, such as year");
  const std::optional<TimeField> field = time_field_named(literal->text(0));
  const bool of_interval = chosen->parameters[1].kind == TypeKind::kInterval;
  // As in PostgreSQL a date has no hours for extract; date_part takes it for midnight.
  const bool of_date = name == "extract" && arguments[1]->type().kind() == TypeKind::kDate && !is_unknown(*arguments[1]);
  if (!field || (of_interval && !extract_field(*field, Interval{})) || (of_date && is_time_of_day(*field)))
    return refuse(arguments[0]->offset(),
                  fmt::format("unit \"{}\" is not known for type {}", literal->text(0),
                              of_date ? "date" : parameter_name(chosen->parameters[1])),
                  of_date ? "use year, month, day, dow, epoch, …" : "use year, month, day, hour, minute, second, epoch, …");
  arguments[1] = coerce(std::move(arguments[1]), of_interval ? Type::interval() : Type::timestamp(), name);
  if (!arguments[1]) return nullptr;
  const int scale = scale_of(*field);
  const int digits = *field == TimeField::kEpoch ? 20 : scale ? 8 : 10;
  NodePtr part = make_call({chosen->kernel, Type::decimal(digits, scale)}, std::move(arguments), s.offset);
  return name == "extract" ? std::move(part) : make_cast(std::move(part), Type::dbl(), s.offset);
}

}  // namespace weir::expr
