#include "runtime/data/key_codec.h"

#include <bit>
#include <cmath>

#include "runtime/base/error.h"
#include "runtime/data/interval.h"
#include "runtime/data/key_parts.h"

namespace weir {
namespace {

constexpr char kValue = 1, kNull = 2;

template <typename U>
void put_big(char* to, U v) {
  if constexpr (sizeof(U) == 16) {
    put_big(to, static_cast<std::uint64_t>(v >> 64));
    put_big(to + 8, static_cast<std::uint64_t>(v));
  } else {
    if constexpr (sizeof(U) == 8) v = __builtin_bswap64(v);
    else v = __builtin_bswap32(v);
    std::memcpy(to, &v, sizeof v);
  }
}

template <typename U>
U get_big(const char* from) {
  if constexpr (sizeof(U) == 16) {
    return static_cast<U>(get_big<std::uint64_t>(from)) << 64 | get_big<std::uint64_t>(from + 8);
  } else {
    U v;
    std::memcpy(&v, from, sizeof v);
    if constexpr (sizeof(U) == 8) return __builtin_bswap64(v);
    else return __builtin_bswap32(v);
  }
}

template <typename U>
constexpr U kSign = U{1} << (sizeof(U) * 8 - 1);

void put_int32(char* to, std::int32_t v) { put_big(to, static_cast<std::uint32_t>(v) ^ kSign<std::uint32_t>); }
void put_int64(char* to, std::int64_t v) { put_big(to, static_cast<std::uint64_t>(v) ^ kSign<std::uint64_t>); }
void put_int128(char* to, Int128 v) { put_big(to, static_cast<UInt128>(v) ^ kSign<UInt128>); }
std::int32_t get_int32(const char* p) { return static_cast<std::int32_t>(get_big<std::uint32_t>(p) ^ kSign<std::uint32_t>); }
std::int64_t get_int64(const char* p) { return static_cast<std::int64_t>(get_big<std::uint64_t>(p) ^ kSign<std::uint64_t>); }
Int128 get_int128(const char* p) { return static_cast<Int128>(get_big<UInt128>(p) ^ kSign<UInt128>); }

void put_double(char* to, double v) {
  if (v == 0) v = 0;
  if (std::isnan(v)) v = std::numeric_limits<double>::quiet_NaN();
  const auto bits = std::bit_cast<std::uint64_t>(v);
  put_big(to, bits & kSign<std::uint64_t> ? ~bits : bits | kSign<std::uint64_t>);
}

double get_double(const char* p) {
  const auto bits = get_big<std::uint64_t>(p);
  return std::bit_cast<double>(bits & kSign<std::uint64_t> ? bits ^ kSign<std::uint64_t> : ~bits);
}

void put_interval(char* to, const Interval& any) {
  const Interval v = canonical_interval(any);
  put_int128(to, interval_length(v));
  put_int32(to + 16, v.months);
  put_int32(to + 20, v.days);
  put_int64(to + 24, v.micros);
}

std::size_t escaped_size(std::string_view text) {
  std::size_t zeros = 0;
  for (const char c : text) zeros += c == '\0';
  return text.size() + zeros + 2;
}

char* put_escaped(char* to, std::string_view text) {
  if (text.find('\0') == std::string_view::npos) {
    to = std::copy(text.begin(), text.end(), to);
  } else {
    for (const char c : text) {
      *to++ = c;
      if (c == '\0') *to++ = static_cast<char>(0xff);
    }
  }
  *to++ = '\0';
  *to++ = '\1';
  return to;
}

}  // namespace

std::size_t key_width(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return 1;
    case TypeKind::kInt:
    case TypeKind::kDate: return 4;
    case TypeKind::kBigint:
    case TypeKind::kTimestamp:
    case TypeKind::kDouble: return 8;
    case TypeKind::kDecimal: return 16;
    case TypeKind::kInterval: return 32;
    default: return 0;
  }
}

bool is_key_type(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kRow:
    case TypeKind::kArray:
    case TypeKind::kMap:
    case TypeKind::kJson: return false;
    default: return true;
  }
}

namespace {

template <typename T, typename Change>
ColumnPtr changed(const Column& column, Change change) {
  Buffer values;
  values.resize(static_cast<std::size_t>(column.size()) * sizeof(T));
  std::transform(column.values<T>(), column.values<T>() + column.size(), values.as<T>(), change);
  return std::make_shared<const Column>(column.type(), column.size(), column.null_count(), column.validity_buffer(),
                                        std::make_shared<const Buffer>(std::move(values)));
}

}  // namespace

bool has_several_forms(const Type& type) {
  const auto of_child = [](const Field& f) { return has_several_forms(f.type); };
  return type.kind() == TypeKind::kInterval || type.kind() == TypeKind::kDouble ||
         std::any_of(type.children().begin(), type.children().end(), of_child);
}

ColumnPtr canonical_column(const ColumnPtr& column) {
  if (column->size() == 0 || !has_several_forms(column->type())) return column;
  if (column->type().kind() == TypeKind::kInterval) return changed<Interval>(*column, canonical_interval);
  if (column->type().kind() == TypeKind::kDouble) return changed<double>(*column, [](double v) { return v == 0 ? 0 : v; });
  std::vector<ColumnPtr> children;
  for (const ColumnPtr& child : column->children()) children.push_back(canonical_column(child));
  return std::make_shared<const Column>(column->type(), column->size(), column->null_count(), column->validity_buffer(),
                                        column->values_buffer(), column->offsets_buffer(), std::move(children));
}

void EncodedKeys::encode(const RecordBatch& batch, std::span<const int> columns) {
  std::vector<ColumnPtr> chosen;
  chosen.reserve(columns.size());
  for (const int c : columns) chosen.push_back(batch.columns()[static_cast<std::size_t>(c)]);
  encode(chosen, batch.rows());
}

void EncodedKeys::encode(std::span<const ColumnPtr> columns, std::int64_t rows) {
  rows_ = rows;
  lay_out(columns);
  column_at_ = 0;
  for (const ColumnPtr& column : columns) fill(*column);
}

/// Finds where each key begins.
void EncodedKeys::lay_out(std::span<const ColumnPtr> columns) {
  width_ = 0;
  bool fixed = true;
  for (const ColumnPtr& column : columns) {
    const std::size_t width = key_width(column->type());
    width_ += 1 + width;
    fixed &= width > 0;
  }
  offsets_.clear();
  const auto rows = static_cast<std::size_t>(rows_);
  if (fixed) {
    bytes_.resize(rows * width_ + 1);
    return;
  }
  offsets_.assign(rows + 1, 0);
  for (const ColumnPtr& column : columns) {
    if (key_width(column->type()) > 0) continue;
    for (std::size_t i = 0; i < rows; ++i) {
      const auto row = static_cast<std::int64_t>(i);
      if (column->valid(row)) offsets_[i + 1] += escaped_size(column->text(row));
    }
  }
  for (std::size_t i = 0; i < rows; ++i) offsets_[i + 1] += offsets_[i] + width_;
  bytes_.resize(offsets_[rows] + 1);
  cursors_.assign(offsets_.begin(), offsets_.end() - 1);
}

template <typename T, typename Write>
void EncodedKeys::fill_fixed(const Column& column, std::size_t width, Write write) {
  const T* values = column.values<T>();
  const bool nulls = column.null_count() > 0;
  const auto put = [&](std::int64_t i, char* to) {
    const bool valid = !nulls || column.valid(i);
    *to = valid ? kValue : kNull;
    if (valid) write(to + 1, values, i);
    else std::memset(to + 1, 0, width);
  };
  if (offsets_.empty()) {
    char* to = bytes_.data() + column_at_;
    for (std::int64_t i = 0; i < rows_; ++i, to += width_) put(i, to);
    column_at_ += 1 + width;
    return;
  }
  for (std::int64_t i = 0; i < rows_; ++i) {
    std::size_t& cursor = cursors_[static_cast<std::size_t>(i)];
    put(i, bytes_.data() + cursor);
    cursor += 1 + width;
  }
}

void EncodedKeys::fill_text(const Column& column) {
  for (std::int64_t i = 0; i < rows_; ++i) {
    std::size_t& cursor = cursors_[static_cast<std::size_t>(i)];
    char* to = bytes_.data() + cursor;
    const bool valid = column.valid(i);
    *to++ = valid ? kValue : kNull;
    if (valid) to = put_escaped(to, column.text(i));
    cursor = static_cast<std::size_t>(to - bytes_.data());
  }
}

void EncodedKeys::fill(const Column& column) {
  const TypeKind kind = column.type().kind();
  const std::size_t width = key_width(column.type());
  const auto with = [&]<typename T>(void (*put)(char*, T)) {
    fill_fixed<T>(column, width, [put](char* to, const T* v, std::int64_t i) { put(to, v[i]); });
  };
  switch (kind) {
    case TypeKind::kBoolean:
      return fill_fixed<std::uint8_t>(
          column, width, [](char* to, const std::uint8_t* bits, std::int64_t i) { *to = get_bit(bits, i) ? 1 : 0; });
    case TypeKind::kInt:
    case TypeKind::kDate: return with.operator()<std::int32_t>(put_int32);
    case TypeKind::kBigint:
    case TypeKind::kTimestamp:
      return fill_fixed<std::int64_t>(column, width,
                                      [](char* to, const std::int64_t* v, std::int64_t i) { put_int64(to, v[i]); });
    case TypeKind::kDouble: return with.operator()<double>(put_double);
    case TypeKind::kDecimal: return with.operator()<Int128>(put_int128);
    case TypeKind::kInterval:
      return fill_fixed<Interval>(column, width,
                                  [](char* to, const Interval* v, std::int64_t i) { put_interval(to, v[i]); });
    default: return fill_text(column);
  }
}

namespace {

[[noreturn]] void refuse() {
  throw Error(Blame::kRefused, "a key of the state cannot be read: it was written with other columns");
}

void decode_text(std::string_view& key, ColumnBuilder& builder) {
  Buffer& out = builder.text_buffer();
  for (std::size_t i = 0; i + 1 < key.size(); ++i) {
    if (key[i] != '\0') {
      out.push(key[i]);
      continue;
    }
    ++i;
    if (key[i] == '\1') {
      builder.end_text();
      return key.remove_prefix(i + 1);
    }
    out.push('\0');
  }
  refuse();
}

void decode_fixed(const char* p, ColumnBuilder& builder) {
  switch (builder.type().kind()) {
    case TypeKind::kBoolean: return builder.append_boolean(*p != 0);
    case TypeKind::kInt:
    case TypeKind::kDate: return builder.append_int(get_int32(p));
    case TypeKind::kBigint:
    case TypeKind::kTimestamp: return builder.append_bigint(get_int64(p));
    case TypeKind::kDouble: return builder.append_double(get_double(p));
    case TypeKind::kDecimal: return builder.append_decimal(get_int128(p));
    case TypeKind::kInterval: return builder.append_interval({get_int32(p + 16), get_int32(p + 20), get_int64(p + 24)});
    default: refuse();
  }
}

}  // namespace

std::string_view take_key_part(std::string_view& key, const Type& type) {
  if (key.empty()) refuse();
  const char tag = key.front();
  std::size_t size = 1 + key_width(type);
  if (tag == kValue && size == 1) {
    const std::size_t end = key.find(std::string_view("\0\1", 2), 1);  // a zero byte within the text is followed by FF
    if (end == std::string_view::npos) refuse();
    size = end + 2;
  }
  if ((tag != kValue && tag != kNull) || key.size() < size) refuse();
  const std::string_view part = key.substr(0, size);
  key.remove_prefix(size);
  return part;
}

void decode_key(std::string_view key, std::span<ColumnBuilder> builders) {
  for (ColumnBuilder& builder : builders) {
    if (key.empty()) refuse();
    const char tag = key.front();
    key.remove_prefix(1);
    const std::size_t width = key_width(builder.type());
    if ((tag != kValue && tag != kNull) || key.size() < width) refuse();
    if (tag == kNull) builder.append_null();
    else if (width == 0) decode_text(key, builder);
    else decode_fixed(key.data(), builder);
    key.remove_prefix(width);
  }
  if (!key.empty()) refuse();
}

}  // namespace weir
