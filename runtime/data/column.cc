#include "runtime/data/column.h"

#include <cassert>
#include <cmath>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/base/error.h"
#include "runtime/data/interval.h"

namespace weir {

namespace {

/// Bytes of one value of a fixed-width type; 0 for boolean, text and nested types.
std::size_t width_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::kInt:
    case TypeKind::kDate: return 4;
    case TypeKind::kBigint:
    case TypeKind::kTimestamp:
    case TypeKind::kDouble: return 8;
    case TypeKind::kDecimal:
    case TypeKind::kInterval: return 16;
    default: return 0;
  }
}

bool is_list(TypeKind kind) { return kind == TypeKind::kArray || kind == TypeKind::kMap; }

BufferPtr share(Buffer&& b) { return std::make_shared<const Buffer>(std::move(b)); }

/// Hands the bytes on. The next column will hold about as many.
BufferPtr share_and_expect(Buffer& b) {
  const std::size_t bytes = b.size();
  BufferPtr shared = share(std::exchange(b, Buffer()));
  b.expect(bytes + bytes / 8);
  return shared;
}

std::size_t bitmap_bytes(std::int64_t rows) { return static_cast<std::size_t>((rows + 7) / 8); }

template <typename T>
Buffer gather(const T* values, std::span<const std::int32_t> rows) {
  Buffer out;
  out.resize(rows.size() * sizeof(T));
  T* to = out.as<T>();
  for (std::size_t i = 0; i < rows.size(); ++i) to[i] = values[rows[i]];
  return out;
}

Buffer gather_bits(const std::uint8_t* bits, std::span<const std::int32_t> rows, std::int64_t& zeros) {
  Buffer out;
  out.resize(bitmap_bytes(static_cast<std::int64_t>(rows.size())));
  std::uint8_t* to = out.as<std::uint8_t>();
  zeros = static_cast<std::int64_t>(rows.size());
  for (std::size_t i = 0; i < rows.size(); i += 8) {
    unsigned byte = 0;
    for (std::size_t j = i; j < rows.size() && j < i + 8; ++j) {
      const unsigned bit = get_bit(bits, rows[j]);
      byte |= bit << (j - i);
      zeros -= bit;
    }
    to[i / 8] = static_cast<std::uint8_t>(byte);
  }
  return out;
}

}  // namespace

std::size_t Column::bytes() const {
  std::size_t n = 0;
  for (const BufferPtr& b : {validity_, values_, offsets_})
    if (b) n += b->size();
  for (const ColumnPtr& c : children_) n += c->bytes();
  return n;
}

std::size_t ColumnBuilder::bytes() const {
  std::size_t n = validity_.size() + values_.size() + offsets_.size();
  for (const ColumnBuilder& c : children_) n += c.bytes();
  return n;
}

ColumnBuilder::ColumnBuilder(Type type) : type_(std::move(type)) {
  for (const Field& f : type_.children()) children_.emplace_back(f.type);
  if (type_.is_binary() || is_list(type_.kind())) offsets_.push(std::int32_t{0});
}

void ColumnBuilder::reserve(std::int64_t rows) {
  const auto n = static_cast<std::size_t>(rows);
  if (const std::size_t w = width_of(type_.kind())) values_.reserve(values_.size() + n * w);
  if (type_.is_binary() || is_list(type_.kind())) offsets_.reserve(offsets_.size() + n * 4);
}

void ColumnBuilder::start_validity() {
  validity_.resize(bitmap_bytes(size_ + 1));
  std::memset(validity_.data(), 0xff, validity_.size());
  has_validity_ = true;
}

void ColumnBuilder::append_null() {
  switch (type_.kind()) {
    case TypeKind::kBoolean: {
      values_.resize(bitmap_bytes(size_ + 1));
      if (size_ % 8 == 0) values_.as<std::uint8_t>()[size_ / 8] = 0;
      clear_bit(values_.as<std::uint8_t>(), size_);
      break;
    }
    case TypeKind::kVarchar:
    case TypeKind::kBytea:
    case TypeKind::kJson: offsets_.push(static_cast<std::int32_t>(values_.size())); break;
    case TypeKind::kArray:
    case TypeKind::kMap: offsets_.push(static_cast<std::int32_t>(children_[0].size())); break;
    case TypeKind::kRow:
      for (ColumnBuilder& c : children_) c.append_null();
      break;
    default: {
      const std::size_t w = width_of(type_.kind());
      values_.resize(values_.size() + w);
      std::memset(values_.data() + values_.size() - w, 0, w);
    }
  }
  if (!has_validity_) start_validity();
  mark(false);
  ++nulls_;
  ++size_;
}

void ColumnBuilder::append_boolean(bool v) {
  values_.resize(bitmap_bytes(size_ + 1));
  auto* bits = values_.as<std::uint8_t>();
  if (size_ % 8 == 0) bits[size_ / 8] = 0;
  v ? set_bit(bits, size_) : clear_bit(bits, size_);
  added_valid();
}

void ColumnBuilder::check_text_size(std::size_t more) const {
  if (values_.size() + more > std::size_t{0x7fffffff}) [[unlikely]]
    throw Error(Blame::kData, fmt::format("the texts of a column would exceed 2 GiB in one batch: {} bytes and {} more",
                                          values_.size(), more));
}

void ColumnBuilder::end_list() {
  offsets_.push(static_cast<std::int32_t>(children_[0].size()));
  added_valid();
}

void ColumnBuilder::append_from(const Column& c, std::int64_t i) {
  if (!c.valid(i)) return append_null();
  switch (type_.kind()) {
    case TypeKind::kBoolean: return append_boolean(c.boolean(i));
    case TypeKind::kInt:
    case TypeKind::kDate: return append_int(c.values<std::int32_t>()[i]);
    case TypeKind::kBigint:
    case TypeKind::kTimestamp: return append_bigint(c.values<std::int64_t>()[i]);
    case TypeKind::kDouble: return append_double(c.values<double>()[i]);
    case TypeKind::kDecimal: return append_decimal(c.values<Int128>()[i]);
    case TypeKind::kInterval: return append_interval(c.values<Interval>()[i]);
    case TypeKind::kVarchar:
    case TypeKind::kBytea:
    case TypeKind::kJson: return append_text(c.text(i));
    case TypeKind::kRow:
      for (std::size_t k = 0; k < children_.size(); ++k) children_[k].append_from(*c.children()[k], i);
      return end_row();
    case TypeKind::kArray:
    case TypeKind::kMap:
      for (std::int32_t j = c.offsets()[i]; j < c.offsets()[i + 1]; ++j)
        for (std::size_t k = 0; k < children_.size(); ++k) children_[k].append_from(*c.children()[k], j);
      return end_list();
  }
}

void ColumnBuilder::pop() {
  assert(size_ > 0);
  --size_;
  if (has_validity_) {
    if (!get_bit(validity_.as<std::uint8_t>(), size_)) --nulls_;
    set_bit(validity_.as<std::uint8_t>(), size_);
  }
  const TypeKind kind = type_.kind();
  if (kind == TypeKind::kBoolean) {
    values_.resize(bitmap_bytes(size_));
  } else if (kind == TypeKind::kRow) {
    for (ColumnBuilder& c : children_) c.pop();
  } else if (type_.is_binary() || is_list(kind)) {
    offsets_.resize(offsets_.size() - 4);
    const std::int32_t end = offsets_.as<std::int32_t>()[offsets_.size() / 4 - 1];
    if (is_list(kind)) {
      for (ColumnBuilder& c : children_)
        while (c.size() > end) c.pop();
    } else {
      values_.resize(static_cast<std::size_t>(end));
    }
  } else {
    values_.resize(values_.size() - width_of(kind));
  }
}

ColumnPtr ColumnBuilder::finish() {
  if (has_validity_) validity_.resize(bitmap_bytes(size_));
  std::vector<ColumnPtr> children;
  for (ColumnBuilder& c : children_) children.push_back(c.finish());
  const bool offsets = type_.is_binary() || is_list(type_.kind());
  auto column = std::make_shared<const Column>(type_, size_, nulls_, nulls_ ? share_and_expect(validity_) : nullptr,
                                               share_and_expect(values_), offsets ? share_and_expect(offsets_) : nullptr,
                                               std::move(children));
  validity_.clear();
  size_ = nulls_ = 0;
  has_validity_ = false;
  if (offsets) offsets_.push(std::int32_t{0});
  return column;
}

ColumnPtr take(const Column& c, std::span<const std::int32_t> rows) {
  const auto n = static_cast<std::int64_t>(rows.size());
  std::int64_t nulls = 0;
  BufferPtr validity;
  if (c.null_count()) validity = share(gather_bits(c.validity(), rows, nulls));
  const auto fixed = [&](Buffer&& values) {
    return std::make_shared<const Column>(c.type(), n, nulls, validity, share(std::move(values)));
  };
  switch (c.type().kind()) {
    case TypeKind::kBoolean: {
      std::int64_t zeros;
      return fixed(gather_bits(c.values<std::uint8_t>(), rows, zeros));
    }
    case TypeKind::kInt:
    case TypeKind::kDate: return fixed(gather(c.values<std::int32_t>(), rows));
    case TypeKind::kBigint:
    case TypeKind::kTimestamp:
    case TypeKind::kDouble: return fixed(gather(c.values<std::int64_t>(), rows));
    case TypeKind::kDecimal:
    case TypeKind::kInterval: return fixed(gather(c.values<Int128>(), rows));
    case TypeKind::kVarchar:
    case TypeKind::kBytea:
    case TypeKind::kJson: {
      Buffer offsets, values;
      offsets.resize((rows.size() + 1) * 4);
      auto* to = offsets.as<std::int32_t>();
      const std::int32_t* from = c.offsets();
      to[0] = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) to[i + 1] = to[i] + from[rows[i] + 1] - from[rows[i]];
      values.resize(static_cast<std::size_t>(to[rows.size()]));
      const char* bytes = c.values<char>();
      for (std::size_t i = 0, end; i < rows.size(); i = end) {  // rows that were neighbours lie side by side
        for (end = i + 1; end < rows.size() && rows[end] == rows[end - 1] + 1;) ++end;
        if (to[end] > to[i])
          std::memcpy(values.as<char>() + to[i], bytes + from[rows[i]], static_cast<std::size_t>(to[end] - to[i]));
      }
      return std::make_shared<const Column>(c.type(), n, nulls, validity, share(std::move(values)),
                                            share(std::move(offsets)));
    }
    case TypeKind::kRow: {
      std::vector<ColumnPtr> children;
      for (const ColumnPtr& child : c.children()) children.push_back(take(*child, rows));
      return std::make_shared<const Column>(c.type(), n, nulls, validity, nullptr, nullptr, std::move(children));
    }
    case TypeKind::kArray:
    case TypeKind::kMap: break;
  }
  ColumnBuilder b(c.type());
  for (std::int32_t row : rows) b.append_from(c, row);
  return b.finish();
}

ColumnPtr slice(const Column& column, std::int64_t begin, std::int64_t count) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) rows[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(begin + i);
  return take(column, rows);
}

ColumnPtr null_column(const Type& type, std::int64_t size) {
  ColumnBuilder b(type);
  for (std::int64_t i = 0; i < size; ++i) b.append_null();
  return b.finish();
}

bool same_value(const Column& a, std::int64_t i, const Column& b, std::int64_t j) {
  if (!a.valid(i) || !b.valid(j)) return a.valid(i) == b.valid(j);
  switch (a.type().kind()) {
    case TypeKind::kBoolean: return a.boolean(i) == b.boolean(j);
    case TypeKind::kInt:
    case TypeKind::kDate: return a.values<std::int32_t>()[i] == b.values<std::int32_t>()[j];
    case TypeKind::kBigint:
    case TypeKind::kTimestamp: return a.values<std::int64_t>()[i] == b.values<std::int64_t>()[j];
    case TypeKind::kDouble: {
      const double x = a.values<double>()[i], y = b.values<double>()[j];
      return x == y || (std::isnan(x) && std::isnan(y));
    }
    case TypeKind::kDecimal: return a.values<Int128>()[i] == b.values<Int128>()[j];
    case TypeKind::kInterval: return interval_length(a.values<Interval>()[i]) == interval_length(b.values<Interval>()[j]);
    case TypeKind::kVarchar:
    case TypeKind::kBytea:
    case TypeKind::kJson: return a.text(i) == b.text(j);
    case TypeKind::kRow:
      for (std::size_t k = 0; k < a.children().size(); ++k)
        if (!same_value(*a.children()[k], i, *b.children()[k], j)) return false;
      return true;
    case TypeKind::kArray:
    case TypeKind::kMap: {
      const std::int32_t n = a.offsets()[i + 1] - a.offsets()[i];
      if (n != b.offsets()[j + 1] - b.offsets()[j]) return false;
      for (std::int32_t e = 0; e < n; ++e)
        for (std::size_t k = 0; k < a.children().size(); ++k)
          if (!same_value(*a.children()[k], a.offsets()[i] + e, *b.children()[k], b.offsets()[j] + e)) return false;
      return true;
    }
  }
  return false;
}

namespace {

std::uint64_t hash_bytes(std::uint64_t seed, const void* p, std::size_t n) { return XXH3_64bits_withSeed(p, n, seed); }

std::uint64_t hash_value(std::uint64_t h, const Column& c, std::int64_t i) {
  if (!c.valid(i)) return hash_bytes(h, "\0null", 5);
  switch (c.type().kind()) {
    case TypeKind::kBoolean: {
      const char b = c.boolean(i);
      return hash_bytes(h, &b, 1);
    }
    case TypeKind::kInt:
    case TypeKind::kDate: {
      const std::int64_t wide = c.values<std::int32_t>()[i];  // equal numbers of different width hash alike
      return hash_bytes(h, &wide, 8);
    }
    case TypeKind::kBigint:
    case TypeKind::kTimestamp: return hash_bytes(h, c.values<std::int64_t>() + i, 8);
    case TypeKind::kDouble: {
      double d = c.values<double>()[i];
      if (d == 0) d = 0;  // -0
      if (std::isnan(d)) d = std::numeric_limits<double>::quiet_NaN();
      return hash_bytes(h, &d, 8);
    }
    case TypeKind::kDecimal: return hash_bytes(h, c.values<Int128>() + i, 16);
    case TypeKind::kInterval: {
      const Int128 length = interval_length(c.values<Interval>()[i]);
      return hash_bytes(h, &length, 16);
    }
    case TypeKind::kVarchar:
    case TypeKind::kBytea:
    case TypeKind::kJson: {
      const std::string_view t = c.text(i);
      return hash_bytes(h, t.data(), t.size());
    }
    case TypeKind::kRow:
      for (const ColumnPtr& child : c.children()) h = hash_value(h, *child, i);
      return h;
    case TypeKind::kArray:
    case TypeKind::kMap: {
      const std::int64_t n = c.offsets()[i + 1] - c.offsets()[i];
      h = hash_bytes(h, &n, 8);
      for (std::int32_t e = c.offsets()[i]; e < c.offsets()[i + 1]; ++e)
        for (const ColumnPtr& child : c.children()) h = hash_value(h, *child, e);
      return h;
    }
  }
  return h;
}

}  // namespace

void combine_hashes(const Column& column, std::span<std::uint64_t> hashes) {
  for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = hash_value(hashes[i], column, static_cast<std::int64_t>(i));
}

}  // namespace weir
