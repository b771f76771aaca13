#include "tests/runtime/data/samples.h"

#include <limits>

namespace weir::test {

std::vector<Type> every_type() {
  const Type row = Type::row({{"a", Type::bigint()}, {"s", Type::varchar()}, {"xs", Type::array(Type::integer())}});
  return {Type::boolean(),
          Type::integer(),
          Type::bigint(),
          Type::dbl(),
          Type::decimal(38, 5),
          Type::varchar(),
          Type::bytea(),
          Type::date(),
          Type::timestamp(),
          Type::interval(),
          Type::json(),
          row,
          Type::array(Type::varchar()),
          Type::array(row),
          Type::map(Type::dbl()),
          Type::map(Type::array(Type::boolean()))};
}

void append_sample(ColumnBuilder& b, int n) {
  if (n % 7 == 3) return b.append_null();
  const std::int64_t big = n * 1'000'000'007ll * (n % 2 ? -1 : 1);
  switch (b.type().kind()) {
    case TypeKind::kBoolean: return b.append_boolean(n % 3 == 0);
    case TypeKind::kInt:
    case TypeKind::kDate: return b.append_int(n * 1001 - 5000);
    case TypeKind::kBigint:
    case TypeKind::kTimestamp: return b.append_bigint(big);
    case TypeKind::kDouble: return b.append_double(n % 5 == 4 ? std::numeric_limits<double>::quiet_NaN() : n * 0.37);
    case TypeKind::kDecimal: return b.append_decimal(static_cast<Int128>(big) * big * (n % 2 ? -1 : 1));
    case TypeKind::kInterval: return b.append_interval({n, -n, big});
    case TypeKind::kVarchar:
    case TypeKind::kBytea:
    case TypeKind::kJson:
      return b.append_text(std::string(static_cast<std::size_t>(n % 40), static_cast<char>('a' + n % 26)));
    case TypeKind::kRow:
      for (std::size_t i = 0; i < b.type().children().size(); ++i)
        append_sample(b.child(static_cast<int>(i)), n + static_cast<int>(i));
      return b.end_row();
    case TypeKind::kArray:
      for (int i = 0; i < n % 4; ++i) append_sample(b.child(0), n + i);
      return b.end_list();
    case TypeKind::kMap:
      for (int i = 0; i < n % 3; ++i) {
        b.child(0).append_text("key" + std::to_string(i));
        append_sample(b.child(1), n + i);
      }
      return b.end_list();
  }
}

ColumnPtr sample(const Type& type, int rows) {
  ColumnBuilder b(type);
  for (int n = 0; n < rows; ++n) append_sample(b, n);
  return b.finish();
}

std::string text_of(const Column& column, std::int64_t row) {
  std::string text;
  append_value(text, column, row);
  return text;
}

}  // namespace weir::test
