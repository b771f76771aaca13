#include "runtime/expr/program/values.h"

#include <bit>

#include "runtime/base/error.h"

namespace weir::expr {

namespace {

std::size_t bitmap_words(std::int32_t rows) { return static_cast<std::size_t>(rows) / 64 + 1; }

bool is_nested(TypeKind k) { return k == TypeKind::kRow || k == TypeKind::kArray || k == TypeKind::kMap; }

}  // namespace

void unpack_bits(const std::uint8_t* bits, std::int32_t count, std::uint8_t* to) {
  for (std::int32_t i = 0; i < count; i += 8) {
    // Copies the byte eight times, keeps bit k in byte k, then makes every non-zero byte 1.
    const std::uint64_t spread = (bits[i / 8] * 0x0101010101010101ull) & 0x8040201008040201ull;
    const std::uint64_t ones = ((spread + 0x7f7f7f7f7f7f7f7full) | spread) >> 7 & 0x0101010101010101ull;
    std::memcpy(to + i, &ones, 8);
  }
}

Values Values::of_column(ColumnPtr column) {
  Values v(column->type());
  const TypeKind kind = column->type().kind();
  v.validity_ = column->validity();
  if (kind == TypeKind::kBoolean) {
    const auto rows = static_cast<std::int32_t>(column->size());
    unpack_bits(column->values<std::uint8_t>(), rows, v.fresh<std::uint8_t>((rows + 7) / 8 * 8));
  } else if (!is_nested(kind)) {
    v.data_ = column->values<char>();
    if (column->type().is_binary()) v.offsets_ = column->offsets();
    if (!v.data_) v.data_ = "";
  }
  v.column_ = std::move(column);
  return v;
}

Values Values::of_constant(ColumnPtr column) {
  Values v = of_column(std::move(column));
  v.mask_ = 0;
  return v;
}

Values Values::alias(const Values& other) {
  Values v(other.type_);
  v.mask_ = other.mask_;
  v.data_ = other.data_;
  v.offsets_ = other.offsets_;
  v.validity_ = other.validity_;
  v.nulls_added_ = other.nulls_added_;
  v.column_ = other.column_;
  return v;
}

std::uint8_t* Values::fresh_validity(std::int32_t rows, bool valid) {
  validity_storage_.resize(bitmap_words(rows) * 8);
  std::memset(validity_storage_.data(), valid ? 0xff : 0, validity_storage_.size());
  validity_ = validity_storage_.as<std::uint8_t>();
  nulls_added_ = true;
  return validity_storage_.as<std::uint8_t>();
}

void Values::and_validity(const Values& other, std::int32_t rows) {
  if (!other.validity_) return;
  if (other.constant()) {
    if (!other.valid(0)) fresh_validity(rows, false);
    return;
  }
  const std::size_t bytes = (static_cast<std::size_t>(rows) + 7) / 8;
  const std::uint8_t* own = validity_;
  if (own != validity_storage_.as<std::uint8_t>() || !own) {
    std::uint8_t* bits = fresh_validity(rows, true);
    std::memcpy(bits, own ? own : other.validity_, bytes);
    if (!own) return;
  }
  std::uint8_t* bits = validity_storage_.as<std::uint8_t>();
  const std::size_t words = bytes / 8;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t a, b;
    std::memcpy(&a, bits + i * 8, 8);
    std::memcpy(&b, other.validity_ + i * 8, 8);
    a &= b;
    std::memcpy(bits + i * 8, &a, 8);
  }
  for (std::size_t i = words * 8; i < bytes; ++i) bits[i] &= other.validity_[i];
}

namespace {

BufferPtr share(Buffer&& b) { return std::make_shared<const Buffer>(std::move(b)); }

/// The bitmap of `rows`, and how many are null.
BufferPtr column_validity(Values& v, const Rows& rows, std::int64_t& nulls) {
  nulls = 0;
  if (!v.validity()) return nullptr;
  Buffer out;
  out.resize((static_cast<std::size_t>(rows.count) + 7) / 8);
  auto* to = out.as<std::uint8_t>();
  if (out.size()) std::memset(to, 0, out.size());
  std::int64_t valid = 0;
  if (rows.all() && !v.constant()) {
    if (out.size()) std::memcpy(to, v.validity(), out.size());
    if (rows.count % 8) to[out.size() - 1] &= static_cast<std::uint8_t>((1u << (rows.count % 8)) - 1);
    for (std::size_t i = 0; i < out.size(); ++i) valid += std::popcount(to[i]);
  } else {
    std::int32_t k = 0;
    rows.each([&](std::int32_t i) {
      if (v.valid(i)) set_bit(to, k), ++valid;
      ++k;
    });
  }
  nulls = rows.count - valid;
  return nulls ? share(std::move(out)) : nullptr;
}

template <typename T>
Buffer column_fixed(Values& v, const Rows& rows) {
  if (rows.all() && v.owns_data() && !v.constant()) return v.take_storage();
  Buffer out;
  out.resize(static_cast<std::size_t>(rows.count) * sizeof(T));
  T* to = out.as<T>();
  const T* from = v.data<T>();
  if (v.constant()) {
    std::fill_n(to, rows.count, from[0]);
  } else if (rows.all()) {
    if (rows.count) std::memcpy(to, from, out.size());
  } else {
    for (std::int32_t k = 0; k < rows.count; ++k) to[k] = from[rows.list[k]];
  }
  return out;
}

Buffer column_bits(const Values& v, const Rows& rows) {
  Buffer out;
  out.resize((static_cast<std::size_t>(rows.count) + 7) / 8);
  auto* to = out.as<std::uint8_t>();
  if (out.size()) std::memset(to, 0, out.size());
  std::int32_t k = 0;
  if (rows.all() && !v.constant())
    for (; k + 8 <= rows.count; k += 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, v.data<std::uint8_t>() + k, 8);
      to[k >> 3] = static_cast<std::uint8_t>(bytes * 0x0102040810204080ull >> 56);  // byte n, 0 or 1, becomes bit n
    }
  for (; k < rows.count; ++k) to[k >> 3] |= static_cast<std::uint8_t>(v.boolean(rows.all() ? k : rows.list[k]) << (k & 7));
  return out;
}

ColumnPtr column_text(Values& v, const Rows& rows, std::int64_t nulls, BufferPtr validity) {
  Buffer offsets, bytes;
  offsets.resize((static_cast<std::size_t>(rows.count) + 1) * 4);
  auto* to = offsets.as<std::int32_t>();
  std::int64_t total = 0;
  std::int32_t k = 0;
  to[0] = 0;
  rows.each([&](std::int32_t i) {
    if (v.valid(i)) total += static_cast<std::int64_t>(v.text(i).size());
    to[++k] = static_cast<std::int32_t>(total);
  });
  if (total > 0x7fffffff) throw Error(Blame::kData, "a column of text would exceed 2 GiB in one batch");
  bytes.resize(static_cast<std::size_t>(total));
  char* p = bytes.as<char>();
  rows.each([&](std::int32_t i) {
    if (!v.valid(i)) return;
    const std::string_view t = v.text(i);
    if (!t.empty()) std::memcpy(p, t.data(), t.size());
    p += t.size();
  });
  return std::make_shared<const Column>(v.type(), rows.count, nulls, std::move(validity), share(std::move(bytes)),
                                        share(std::move(offsets)));
}

ColumnPtr column_nested(const Values& v, const Rows& rows) {
  ColumnBuilder b(v.type());
  rows.each([&](std::int32_t i) {
    const ValueRef r = v.ref(i);
    v.valid(i) && r.column ? b.append_from(*r.column, r.row) : b.append_null();
  });
  return b.finish();
}

}  // namespace

ColumnPtr to_column(Values v, const Rows& rows) {
  if (v.column() && !v.constant() && !v.nulls_added() && v.column()->type() == v.type())
    return rows.all() ? v.column() : take(*v.column(), {rows.list, static_cast<std::size_t>(rows.count)});
  if (is_nested(v.type().kind())) return column_nested(v, rows);
  std::int64_t nulls = 0;
  BufferPtr validity = column_validity(v, rows, nulls);
  const auto column = [&](Buffer&& values) {
    return std::make_shared<const Column>(v.type(), rows.count, nulls, std::move(validity), share(std::move(values)));
  };
  switch (v.type().kind()) {
    case TypeKind::kBoolean: return column(column_bits(v, rows));
    case TypeKind::kInt:
    case TypeKind::kDate: return column(column_fixed<std::int32_t>(v, rows));
    case TypeKind::kBigint:
    case TypeKind::kTimestamp: return column(column_fixed<std::int64_t>(v, rows));
    case TypeKind::kDouble: return column(column_fixed<double>(v, rows));
    case TypeKind::kDecimal: return column(column_fixed<Int128>(v, rows));
    case TypeKind::kInterval: return column(column_fixed<Interval>(v, rows));
    default: return column_text(v, rows, nulls, std::move(validity));
  }
}

}  // namespace weir::expr
