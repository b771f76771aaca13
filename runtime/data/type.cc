#include "runtime/data/type.h"

#include <algorithm>
#include <cassert>
#include <cctype>

#include "runtime/data/schema.h"

namespace weir {

namespace {

/// A member's name so that parse_type reads it back: in quotes unless it is a plain word.
std::string written_name(const std::string& name) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  };
  if (!name.empty() && std::all_of(name.begin(), name.end(), plain)) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

Type Type::decimal(int precision, int scale) {
  Type t(TypeKind::kDecimal);
  t.precision_ = static_cast<std::uint8_t>(precision);
  t.scale_ = static_cast<std::uint8_t>(scale);
  return t;
}

Type Type::row(std::vector<Field> fields) {
  Type t(TypeKind::kRow);
  t.children_ = std::make_shared<const std::vector<Field>>(std::move(fields));
  return t;
}

Type Type::array(Type element, bool element_nullable) {
  Type t(TypeKind::kArray);
  t.children_ =
      std::make_shared<const std::vector<Field>>(std::vector<Field>{{"item", std::move(element), element_nullable}});
  return t;
}

Type Type::map(Type value) {
  Type t(TypeKind::kMap);
  t.children_ = std::make_shared<const std::vector<Field>>(
      std::vector<Field>{{"key", Type::varchar(), false}, {"value", std::move(value)}});
  return t;
}

const std::vector<Field>& Type::children() const {
  static const std::vector<Field> none;
  return children_ ? *children_ : none;
}

const Type& Type::element() const {
  assert(kind_ == TypeKind::kArray || kind_ == TypeKind::kMap);
  return children_->back().type;
}

bool Type::operator==(const Type& o) const {
  return kind_ == o.kind_ && precision_ == o.precision_ && scale_ == o.scale_ &&
         (children_ == o.children_ || children() == o.children());
}

std::string Type::name() const {
  switch (kind_) {
    case TypeKind::kBoolean: return "boolean";
    case TypeKind::kInt: return "int";
    case TypeKind::kBigint: return "bigint";
    case TypeKind::kDouble: return "double";
    case TypeKind::kDecimal: return fmt::format("decimal({},{})", precision_, scale_);
    case TypeKind::kVarchar: return "varchar";
    case TypeKind::kBytea: return "bytea";
    case TypeKind::kDate: return "date";
    case TypeKind::kTimestamp: return "timestamp";
    case TypeKind::kInterval: return "interval";
    case TypeKind::kJson: return "json";
    case TypeKind::kArray: return "array(" + element().name() + (children()[0].nullable ? "" : " not null") + ")";
    case TypeKind::kMap: return "map(varchar, " + element().name() + ")";
    case TypeKind::kRow: {
      std::string s = "row(";
      for (std::size_t i = 0; i < children().size(); ++i) {
        const Field& f = children()[i];
        s += (i ? ", " : "") + written_name(f.name) + " " + f.type.name() + (f.nullable ? "" : " not null");
      }
      return s + ")";
    }
  }
  return "?";
}

std::optional<int> Schema::find(std::string_view name) const {
  for (int i = 0; i < size(); ++i)
    if (fields_[static_cast<std::size_t>(i)].name == name) return i;
  return std::nullopt;
}

}  // namespace weir
