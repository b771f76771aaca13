#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

/// The SQL types of columns, with their layout in a Column (Arrow's, little-endian).
enum class TypeKind : std::uint8_t {
  kBoolean,    ///< bitmap, least significant bit first
  kInt,        ///< int32
  kBigint,     ///< int64
  kDouble,     ///< IEEE 754 double
  kDecimal,    ///< Int128, the value times 10^scale; precision 1-38, scale 0-precision
  kVarchar,    ///< int32 offsets + bytes, valid UTF-8
  kBytea,      ///< int32 offsets + bytes
  kDate,       ///< int32, days since 1970-01-01
  kTimestamp,  ///< int64, microseconds since 1970-01-01T00:00:00Z
  kInterval,   ///< Interval
  kRow,        ///< one child per field
  kArray,      ///< int32 offsets + one child
  kMap,        ///< int32 offsets + two children (key varchar, value), in order of arrival
  kJson,       ///< int32 offsets + bytes, one JSON text as it came
};

/// A span of time in PostgreSQL's three parts, which are not converted into one another.
struct Interval {
  std::int32_t months = 0;
  std::int32_t days = 0;
  std::int64_t micros = 0;
  bool operator==(const Interval&) const = default;
};

struct Field;

/// A column's type. Cheap to copy; nested parts are shared.
class Type {
 public:
  static Type boolean() { return Type(TypeKind::kBoolean); }
  static Type integer() { return Type(TypeKind::kInt); }
  static Type bigint() { return Type(TypeKind::kBigint); }
  static Type dbl() { return Type(TypeKind::kDouble); }
  static Type decimal(int precision, int scale);
  static Type varchar() { return Type(TypeKind::kVarchar); }
  static Type bytea() { return Type(TypeKind::kBytea); }
  static Type date() { return Type(TypeKind::kDate); }
  static Type timestamp() { return Type(TypeKind::kTimestamp); }
  static Type interval() { return Type(TypeKind::kInterval); }
  static Type json() { return Type(TypeKind::kJson); }
  static Type row(std::vector<Field> fields);
  static Type array(Type element, bool element_nullable = true);
  static Type map(Type value);

  TypeKind kind() const { return kind_; }
  int precision() const { return precision_; }
  int scale() const { return scale_; }
  /// Row: its fields. Array: one, named "item". Map: "key" and "value". Others: empty.
  const std::vector<Field>& children() const;
  const Type& element() const;

  /// As written in a schema: `decimal(10,2)`, `row(name varchar, tags array(varchar))`.
  std::string name() const;
  bool operator==(const Type& other) const;

  bool is_number() const {
    return kind_ == TypeKind::kInt || kind_ == TypeKind::kBigint || kind_ == TypeKind::kDouble ||
           kind_ == TypeKind::kDecimal;
  }
  /// True for types stored as offsets + bytes.
  bool is_binary() const { return kind_ == TypeKind::kVarchar || kind_ == TypeKind::kBytea || kind_ == TypeKind::kJson; }

 private:
  explicit Type(TypeKind kind) : kind_(kind) {}
  TypeKind kind_;
  std::uint8_t precision_ = 0;
  std::uint8_t scale_ = 0;
  std::shared_ptr<const std::vector<Field>> children_;
};

/// A named column of a schema, or a member of a row.
struct Field {
  std::string name;
  Type type;
  bool nullable = true;
  /// Kafka's own fields (`_key`, `_offset`, …) and a computed event time: travels with `"*"`, but a sink writes it only if
  /// it is named.
  bool metadata = false;
  bool operator==(const Field&) const = default;
};

/// What is wrong with a type's text.
struct TypeSyntaxError {
  std::size_t offset;  ///< bytes from the beginning of the text
  std::string text;
  std::string hint;  ///< the nearest type name, or empty
};

/// Reads a type as written in a schema, with an optional `not null` at the end, into `field` (its name is left alone).
/// Takes the names of PostgreSQL too: integer, int4, int8, text, float8, `double precision`, bool, numeric.
std::optional<TypeSyntaxError> parse_type(std::string_view text, Field& field);

}  // namespace weir
