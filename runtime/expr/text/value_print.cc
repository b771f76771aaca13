#include "runtime/expr/text/value_print.h"

#include "runtime/data/decimal.h"
#include "runtime/data/value_text.h"

namespace weir::expr {

void append_printed(std::string& out, const Values& v, std::int32_t i) {
  switch (v.type().kind()) {
    case TypeKind::kBoolean: out += v.boolean(i) ? 't' : 'f'; return;
    case TypeKind::kInt: return append_integer(out, v.value<std::int32_t>(i));
    case TypeKind::kBigint: return append_integer(out, v.value<std::int64_t>(i));
    case TypeKind::kDouble: return append_double(out, v.value<double>(i));
    case TypeKind::kDecimal: return append_decimal(out, v.value<Int128>(i), v.type().scale());
    case TypeKind::kDate: return append_date(out, v.value<std::int32_t>(i));
    case TypeKind::kTimestamp: return append_timestamp(out, v.value<std::int64_t>(i));
    case TypeKind::kInterval: return append_interval(out, v.value<Interval>(i));
    case TypeKind::kVarchar:
    case TypeKind::kJson: out += v.text(i); return;
    case TypeKind::kBytea: return append_bytea(out, v.text(i));
    case TypeKind::kRow:
    case TypeKind::kArray:
    case TypeKind::kMap: {
      const ValueRef r = v.ref(i);
      if (r.column) append_value(out, *r.column, r.row);
    }
  }
}

}  // namespace weir::expr
