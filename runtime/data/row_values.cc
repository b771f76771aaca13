#include "runtime/data/row_values.h"

#include "runtime/base/error.h"

namespace weir {
namespace {

UInt128 zigzag(Int128 v) { return (static_cast<UInt128>(v) << 1) ^ static_cast<UInt128>(v >> 127); }
Int128 unzigzag(UInt128 v) { return static_cast<Int128>(v >> 1) ^ -static_cast<Int128>(v & 1); }

[[noreturn]] void refuse() {
  throw Error(Blame::kRefused, "a value of the state cannot be read: it was written with other columns");
}

}  // namespace

void RowWriter::present() {
  out_[bits_ + field_ / 8] = static_cast<char>(out_[bits_ + field_ / 8] | 1 << field_ % 8);
  ++field_;
}

void RowWriter::varint(UInt128 v) {
  for (; v >= 0x80; v >>= 7) out_.push_back(static_cast<char>((v & 0x7f) | 0x80));
  out_.push_back(static_cast<char>(v));
}

void RowWriter::boolean(bool v) {
  present();
  out_.push_back(v ? 1 : 0);
}

void RowWriter::integer(std::int64_t v) {
  present();
  auto bits = static_cast<std::uint64_t>(zigzag(v));
  for (; bits >= 0x80; bits >>= 7) out_.push_back(static_cast<char>((bits & 0x7f) | 0x80));
  out_.push_back(static_cast<char>(bits));
}

void RowWriter::decimal(Int128 v) {
  present();
  varint(zigzag(v));
}

void RowWriter::dbl(double v) {
  present();
  out_.append(reinterpret_cast<const char*>(&v), sizeof v);
}

void RowWriter::interval(const Interval& v) {
  present();
  varint(zigzag(v.months));
  varint(zigzag(v.days));
  varint(zigzag(v.micros));
}

void RowWriter::text(std::string_view v) {
  present();
  varint(v.size());
  out_.append(v);
}

void RowWriter::list(std::size_t size) {
  present();
  varint(size);
}

void RowWriter::value(const Column& c, std::int64_t i) {
  if (!c.valid(i)) return null();
  switch (c.type().kind()) {
    case TypeKind::kBoolean: return boolean(c.boolean(i));
    case TypeKind::kInt:
    case TypeKind::kDate: return integer(c.values<std::int32_t>()[i]);
    case TypeKind::kBigint:
    case TypeKind::kTimestamp: return integer(c.values<std::int64_t>()[i]);
    case TypeKind::kDouble: return dbl(c.values<double>()[i]);
    case TypeKind::kDecimal: return decimal(c.values<Int128>()[i]);
    case TypeKind::kInterval: return interval(c.values<Interval>()[i]);
    case TypeKind::kVarchar:
    case TypeKind::kBytea:
    case TypeKind::kJson: return text(c.text(i));
    case TypeKind::kRow: {
      row();
      RowWriter inner(out_, c.children().size());
      for (const ColumnPtr& child : c.children()) inner.value(*child, i);
      return;
    }
    case TypeKind::kArray:
    case TypeKind::kMap: {
      const std::int32_t begin = c.offsets()[i], end = c.offsets()[i + 1];
      list(static_cast<std::size_t>(end - begin));
      for (const ColumnPtr& child : c.children()) {
        RowWriter inner(out_, static_cast<std::size_t>(end - begin));
        for (std::int32_t e = begin; e < end; ++e) inner.value(*child, e);
      }
    }
  }
}

RowReader::RowReader(std::string_view& in, std::size_t fields) : in_(in) { bits_ = take((fields + 7) / 8); }

std::string_view RowReader::take(std::size_t size) {
  if (in_.size() < size) refuse();
  const std::string_view taken = in_.substr(0, size);
  in_.remove_prefix(size);
  return taken;
}

bool RowReader::null() {
  if ((bits_[field_ / 8] >> field_ % 8 & 1) != 0) return false;
  ++field_;
  return true;
}

UInt128 RowReader::varint() {
  UInt128 v = 0;
  for (int shift = 0; shift < 128; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1)[0]);
    v |= static_cast<UInt128>(byte & 0x7f) << shift;
    if (byte < 0x80) return v;
  }
  refuse();
}

bool RowReader::boolean() { return ++field_, take(1)[0] != 0; }
std::int64_t RowReader::integer() { return ++field_, static_cast<std::int64_t>(unzigzag(varint())); }
Int128 RowReader::decimal() { return ++field_, unzigzag(varint()); }

double RowReader::dbl() {
  ++field_;
  double v;
  std::memcpy(&v, take(sizeof v).data(), sizeof v);
  return v;
}

Interval RowReader::interval() {
  ++field_;
  Interval v;
  v.months = static_cast<std::int32_t>(unzigzag(varint()));
  v.days = static_cast<std::int32_t>(unzigzag(varint()));
  v.micros = static_cast<std::int64_t>(unzigzag(varint()));
  return v;
}

std::string_view RowReader::text() { return ++field_, take(static_cast<std::size_t>(varint())); }

std::size_t RowReader::list() {
  ++field_;
  const UInt128 size = varint();
  if (size > in_.size() * 8) refuse();  // its bits alone would not fit
  return static_cast<std::size_t>(size);
}

void RowReader::value(ColumnBuilder& builder) {
  if (null()) return builder.append_null();
  switch (builder.type().kind()) {
    case TypeKind::kBoolean: return builder.append_boolean(boolean());
    case TypeKind::kInt:
    case TypeKind::kDate: return builder.append_int(static_cast<std::int32_t>(integer()));
    case TypeKind::kBigint:
    case TypeKind::kTimestamp: return builder.append_bigint(integer());
    case TypeKind::kDouble: return builder.append_double(dbl());
    case TypeKind::kDecimal: return builder.append_decimal(decimal());
    case TypeKind::kInterval: return builder.append_interval(interval());
    case TypeKind::kVarchar:
    case TypeKind::kBytea:
    case TypeKind::kJson: return builder.append_text(text());
    case TypeKind::kRow: {
      const std::size_t fields = builder.type().children().size();
      row();
      RowReader inner(in_, fields);
      for (std::size_t i = 0; i < fields; ++i) inner.value(builder.child(static_cast<int>(i)));
      return builder.end_row();
    }
    case TypeKind::kArray:
    case TypeKind::kMap: {
      const std::size_t size = list();
      for (int child = 0; child < (builder.type().kind() == TypeKind::kMap ? 2 : 1); ++child) {
        RowReader inner(in_, size);
        for (std::size_t i = 0; i < size; ++i) inner.value(builder.child(child));
      }
      return builder.end_list();
    }
  }
}

}  // namespace weir
