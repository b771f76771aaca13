#include <charconv>

#include "runtime/data/decimal.h"
#include "runtime/expr/bind/binder.h"
#include "runtime/expr/bind/cast.h"
#include "runtime/expr/text/calendar.h"
#include "runtime/expr/text/parse_value.h"

namespace weir::expr {

namespace {

NodePtr constant(ColumnBuilder& b, std::size_t offset) { return std::make_unique<ConstantNode>(b.finish(), offset); }

}  // namespace

/// Integers are int, bigint or decimal, by their size; other numbers decimal, or double where 38 digits
/// do not hold them.
NodePtr Binder::number(const Syntax& s) {
  std::int32_t small = 0;
  if (parse_int(s.text, small) == ParseStatus::kOk) {
    ColumnBuilder b(Type::integer());
    b.append_int(small);
    return constant(b, s.offset);
  }
  std::int64_t large = 0;
  if (parse_bigint(s.text, large) == ParseStatus::kOk) {
    ColumnBuilder b(Type::bigint());
    b.append_bigint(large);
    return constant(b, s.offset);
  }
  if (const std::optional<DecimalShape> shape = decimal_shape(s.text)) {
    ColumnBuilder b(Type::decimal(shape->precision, shape->scale));
    b.append_decimal(parse_decimal(s.text, shape->scale).value);
    return constant(b, s.offset);
  }
  if (s.text.find_first_not_of("0123456789", s.text.starts_with('-')) == std::string::npos)
    return refuse(
        s.offset,
        fmt::format("the integer {} has more than the {} digits of decimal({})", s.text, kDecimalDigits, kDecimalDigits),
        "write it as a double: 1e39, or as text");
  double d = 0;
  if (parse_double(s.text, d) != ParseStatus::kOk) return refuse(s.offset, fmt::format("number out of range: {}", s.text));
  ColumnBuilder b(Type::dbl());
  b.append_double(d);
  return constant(b, s.offset);
}

NodePtr Binder::text(const Syntax& s) {
  ColumnBuilder b(Type::varchar());
  b.append_text(s.text);
  return std::make_unique<ConstantNode>(b.finish(), s.offset, true);
}

NodePtr Binder::literal_as(const Node& literal, const Type& target) {
  const ColumnPtr value = literal.constant();
  if (!value->valid(0)) return null_constant(target, literal.offset());
  ColumnBuilder b(target);
  if (const std::optional<std::string> reason = append_parsed(b, value->text(0))) return refuse(literal.offset(), *reason);
  return constant(b, literal.offset());
}

/// The type a cast asks for; `source` is what is cast, for a decimal without digits.
std::optional<Type> Binder::type_of(const TypeSyntax& t, const Node* source) {
  struct Name {
    std::string_view name;
    Type type;
  };
  static const Name kNames[] = {{"bool", Type::boolean()},
                                {"boolean", Type::boolean()},
                                {"int4", Type::integer()},
                                {"int", Type::integer()},
                                {"integer", Type::integer()},
                                {"int8", Type::bigint()},
                                {"bigint", Type::bigint()},
                                {"float8", Type::dbl()},
                                {"double", Type::dbl()},
                                {"varchar", Type::varchar()},
                                {"text", Type::varchar()},
                                {"bytea", Type::bytea()},
                                {"date", Type::date()},
                                {"timestamp", Type::timestamp()},
                                {"timestamptz", Type::timestamp()},
                                {"interval", Type::interval()},
                                {"json", Type::json()}};
  static constexpr std::pair<std::string_view, std::string_view> kOthers[] = {{"int2", "use int"},
                                                                              {"smallint", "use int"},
                                                                              {"float4", "use double"},
                                                                              {"real", "use double"},
                                                                              {"bpchar", "use varchar"},
                                                                              {"char", "use varchar"},
                                                                              {"jsonb", "use json"},
                                                                              {"time", "use timestamp or interval"},
                                                                              {"timetz", "use timestamp or interval"},
                                                                              {"uuid", "use varchar"},
                                                                              {"money", "use decimal"},
                                                                              {"name", "use varchar"},
                                                                              {"bit", ""},
                                                                              {"varbit", ""},
                                                                              {"inet", "use varchar"},
                                                                              {"xml", "use varchar"},
                                                                              {"string", "use varchar"},
                                                                              {"long", "use bigint"},
                                                                              {"float", "use double"},
                                                                              {"str", "use varchar"},
                                                                              {"number", "use double or decimal(18,2)"},
                                                                              {"datetime", "use timestamp"},
                                                                              {"int32", "use int"},
                                                                              {"int64", "use bigint"},
                                                                              {"float32", "use double"},
                                                                              {"float64", "use double"},
                                                                              {"tinyint", "use int"},
                                                                              {"signed", "use bigint"},
                                                                              {"unsigned", "use bigint"},
                                                                              {"bytes", "use bytea"},
                                                                              {"binary", "use bytea"},
                                                                              {"blob", "use bytea"},
                                                                              {"array", ""},
                                                                              {"row", ""}};
  if (t.array) return refuse(t.offset, "casts to array types are not supported yet"), std::nullopt;
  for (const Name& n : kNames)
    if (n.name == t.name) return n.type;
  if (t.name == "numeric" || t.name == "decimal") {
    if (t.modifiers.empty()) {
      if (source && source->type().kind() != TypeKind::kDouble && !is_unknown(*source) && source->type().is_number())
        return as_decimal(*source);
      if (source && is_unknown(*source) && source->constant()->valid(0))
        if (const auto shape = decimal_shape(source->constant()->text(0)))
          return Type::decimal(shape->precision, shape->scale);
      return refuse(t.offset, "decimal needs its digits here", "write decimal(12,2): 12 digits, 2 of them behind the point"),
             std::nullopt;
    }
    const int precision = t.modifiers[0], scale = t.modifiers.size() > 1 ? t.modifiers[1] : 0;
    if (precision < 1 || precision > kDecimalDigits || scale < 0 || scale > precision)
      return refuse(t.offset, fmt::format("decimal has 1 to {} digits, at most all of them behind the point, not ({},{})",
                                          kDecimalDigits, precision, scale)),
             std::nullopt;
    return Type::decimal(precision, scale);
  }
  for (const auto& [name, hint] : kOthers)
    if (name == t.name)
      return refuse(t.offset, fmt::format("type {} is not supported yet", t.name), std::string(hint)), std::nullopt;
  return refuse(t.offset, fmt::format("unknown type \"{}\"", t.name),
                "types are boolean, int, bigint, double, decimal(p,s), varchar, bytea, date, timestamp, interval, json"),
         std::nullopt;
}

NodePtr Binder::cast(const Syntax& s) {
  NodePtr source = bind(s.parts[0]);
  const std::optional<Type> target = type_of(s.type, source.get());
  if (!source || !target) return nullptr;
  const std::string from = shown_type(*source);
  if (is_unknown(*source)) {
    if (target->kind() == TypeKind::kInterval && !s.type.modifiers.empty()) return interval_literal(*source, s.type);
    source = literal_as(*source, *target);
  } else {
    const TypeKind kind = source->type().kind();
    if (!(source->type() == *target) && !find_cast(kind, target->kind()))
      return refuse(s.offset, fmt::format("cannot cast type {} to {}", from, target->name()),
                    kind == TypeKind::kTimestamp && target->is_number()                    ? "use extract(epoch from x)"
                    : target->kind() == TypeKind::kTimestamp && source->type().is_number() ? "use to_timestamp(seconds)"
                                                                                           : "");
    source = make_cast(std::move(source), *target, s.offset);
  }
  return source ? with_modifiers(std::move(source), s.type, s.offset) : nullptr;
}

namespace {

/// The fields that PostgreSQL's parser encodes as bits of the first modifier; the second is the places of seconds.
IntervalFields fields_of(const std::vector<int>& modifiers) {
  constexpr int kAll = 0x7fff;
  constexpr std::pair<int, TimeField> kBits[] = {{2, TimeField::kYear},  {1, TimeField::kMonth},   {3, TimeField::kDay},
                                                 {10, TimeField::kHour}, {11, TimeField::kMinute}, {12, TimeField::kSecond}};
  IntervalFields fields;
  if (modifiers[0] != kAll) {
    bool any = false;
    for (const auto& [bit, field] : kBits) {
      if (!(modifiers[0] >> bit & 1)) continue;
      if (!std::exchange(any, true)) fields.first = field;
      fields.last = field;
    }
  }
  if (modifiers.size() > 1) fields.places = std::clamp(modifiers[1], 0, 6);
  return fields;
}

}  // namespace

/// `interval '5' minute`, `interval '1.25' second(1)`.
NodePtr Binder::interval_literal(const Node& literal, const TypeSyntax& t) {
  const ColumnPtr text = literal.constant();
  if (!text->valid(0)) return null_constant(Type::interval(), literal.offset());
  Interval value;
  const ParseStatus status = parse_interval(text->text(0), fields_of(t.modifiers), value);
  if (status != ParseStatus::kOk) return refuse(literal.offset(), parse_failure(status, Type::interval(), text->text(0)));
  ColumnBuilder b(Type::interval());
  b.append_interval(value);
  return constant(b, literal.offset());
}

/// varchar(n) cuts, timestamp(n) rounds.
NodePtr Binder::with_modifiers(NodePtr node, const TypeSyntax& t, std::size_t offset) {
  if (t.modifiers.empty() || node->type().kind() == TypeKind::kDecimal) return node;
  const TypeKind kind = node->type().kind();
  if (kind == TypeKind::kInterval || (kind != TypeKind::kVarchar && kind != TypeKind::kTimestamp))
    return refuse(t.offset, fmt::format("{} with a modifier is not supported yet", t.name));
  if (kind == TypeKind::kVarchar && t.modifiers[0] < 1)
    return refuse(t.offset, "length for type varchar must be at least 1");
  if (kind == TypeKind::kTimestamp && (t.modifiers[0] < 0 || t.modifiers[0] > 6))
    return refuse(t.offset, fmt::format("timestamp has 0 to 6 decimal places, not {}", t.modifiers[0]));
  ColumnBuilder b(Type::integer());
  b.append_int(t.modifiers[0]);
  Syntax s;
  s.offset = offset;
  std::vector<NodePtr> arguments;
  arguments.push_back(std::move(node));
  arguments.push_back(constant(b, offset));
  return resolve(kind == TypeKind::kVarchar ? "left" : "round_timestamp", std::move(arguments), s);
}

}  // namespace weir::expr
