#include <bit>
#include <cmath>
#include <limits>

#include "runtime/data/decimal.h"
#include "runtime/expr/aggregate_kinds.h"

namespace weir::expr {
namespace {

class Count final : public AggregateFunction {
 public:
  Count() : AggregateFunction(Type::bigint(), false, Type::bigint(), 8) {}

  void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin, std::uint64_t) const override {
    add(rows, at, argument, begin, 1);
  }
  void retract(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin) const override {
    add(rows, at, argument, begin, -1);
  }
  void merge(std::byte* to, const std::byte* from) const override { state_at<std::int64_t>(to) += state_at<std::int64_t>(from); }
  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    out.append_bigint(state_at<std::int64_t>(state));
    return {};
  }
  void encode(const std::byte* state, std::string&, RowWriter& writer) const override { writer.integer(state_at<std::int64_t>(state)); }
  void decode(std::byte* state, std::string_view&, RowReader& reader) const override {
    if (!reader.null()) state_at<std::int64_t>(state) = reader.integer();
  }

 private:
  static void add(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin, std::int64_t n) {
    if (!argument || argument->null_count() == 0) {
      for (std::byte* row : rows) state_at<std::int64_t>(row, at) += n;
      return;
    }
    const std::uint8_t* valid = argument->validity();
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (get_bit(valid, begin + static_cast<std::int64_t>(k))) state_at<std::int64_t>(rows[k], at) += n;
  }
};

/// How sums of one type of number are kept, written, and handed out. A sum that once did not fit becomes `lost`, for good.
template <typename SumType>
struct Whole {
  using Sum = SumType;
  static constexpr Sum kLost = static_cast<Sum>(static_cast<UInt128>(1) << (sizeof(Sum) * 8 - 1));
  static bool lost(Sum sum) { return sum == kLost; }
  static void add(Sum& sum, Sum v) {
    if (lost(sum)) return;
    if (lost(v) || __builtin_add_overflow(sum, v, &sum)) sum = kLost;
  }
  static void subtract(Sum& sum, Sum v) {
    if (lost(sum)) return;
    if (__builtin_sub_overflow(sum, v, &sum)) sum = kLost;
  }
};
struct Integers : Whole<std::int64_t> {
  using Value = std::int32_t;
  static void write(RowWriter& w, Sum v) { w.integer(v); }
  static Sum read(RowReader& r) { return r.integer(); }
  static void append(ColumnBuilder& b, Sum v) { b.append_bigint(v); }
  static double as_double(Sum v, int) { return static_cast<double>(v); }
};
struct Decimals : Whole<Int128> {
  using Value = Int128;
  static void write(RowWriter& w, Sum v) { w.decimal(v); }
  static Sum read(RowReader& r) { return r.decimal(); }
  static void append(ColumnBuilder& b, Sum v) { b.append_decimal(v); }
  static double as_double(Sum v, int scale) { return decimal_to_double(v, scale); }
};
struct Bigints : Decimals {
  using Value = std::int64_t;
  static void subtract(Sum& sum, Value v) { sum -= v; }
  static void add(Sum& sum, Value v) { sum += v; }  // 2^64 rows do not come
  static void add(Sum& sum, Sum v) { sum += v; }
};
struct Doubles {
  using Value = double;
  using Sum = double;
  static constexpr std::uint64_t kLost = 0x7ff8'0000'6c6f'7374;  ///< a NaN that no computation gives
  static bool lost(Sum sum) { return std::bit_cast<std::uint64_t>(sum) == kLost; }
  static void add(Sum& sum, Value v) {
    const Sum both = sum + v;
    if (std::isfinite(both)) sum = both;
    else if (!lost(sum)) sum = lost(v) || (std::isfinite(sum) && std::isfinite(v)) ? std::bit_cast<double>(kLost) : both;
  }
  static void subtract(Sum& sum, Value v) { add(sum, -v); }
  static void write(RowWriter& w, Sum v) { w.dbl(v); }
  static Sum read(RowReader& r) { return r.dbl(); }
  static void append(ColumnBuilder& b, Sum v) { b.append_double(v); }
  static double as_double(Sum v, int) { return v; }
};
/// Doubles that may be taken back: infinities and NaNs are counted apart, for what they did to a sum could not be undone.
struct CountedDoubles {
  using Value = double;
  struct Sum {
    double finite;
    std::int64_t nans, infinities, negative_infinities;
  };
  static constexpr std::size_t kFields = 4;
  static std::vector<Field> fields(const Type&) {
    return {{"sum", Type::dbl(), false}, {"nan", Type::bigint(), false}, {"infinite", Type::bigint(), false}, {"negative_infinite", Type::bigint(), false}};
  }
  static bool lost(const Sum& s) { return !std::isfinite(s.finite); }  // and so it stays
  static void add(Sum& s, Value v) { count(s, v, 1); }
  static void subtract(Sum& s, Value v) { count(s, v, -1); }
  static void add(Sum& s, const Sum& o) {
    s = {s.finite + o.finite, s.nans + o.nans, s.infinities + o.infinities, s.negative_infinities + o.negative_infinities};
  }
  static void write(RowWriter& w, const Sum& v) {
    w.dbl(v.finite);
    for (const std::int64_t n : {v.nans, v.infinities, v.negative_infinities}) w.integer(n);
  }
  static Sum read(RowReader& r) {
    Sum s{r.dbl(), 0, 0, 0};
    for (std::int64_t* n : {&s.nans, &s.infinities, &s.negative_infinities}) *n = r.null() ? 0 : r.integer();
    return s;
  }
  static void append(ColumnBuilder& b, const Sum& v) { b.append_double(as_double(v, 0)); }
  static double as_double(const Sum& v, int) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (v.nans > 0 || (v.infinities > 0 && v.negative_infinities > 0)) return std::numeric_limits<double>::quiet_NaN();
    return v.infinities > 0 ? kInfinity : v.negative_infinities > 0 ? -kInfinity : v.finite;
  }

 private:
  static void count(Sum& s, Value v, int n) {
    if (std::isfinite(v)) s.finite += n * v;
    else (std::isnan(v) ? s.nans : v > 0 ? s.infinities : s.negative_infinities) += n;
  }
};
struct Intervals {
  using Value = Interval;
  using Sum = Interval;
  static constexpr Sum kLost = {INT32_MIN, INT32_MIN, INT64_MIN};
  static bool lost(const Sum& s) { return s == kLost; }
  static void add(Sum& s, const Value& v) {
    if (lost(s)) return;
    if (__builtin_add_overflow(s.months, v.months, &s.months) | __builtin_add_overflow(s.days, v.days, &s.days) |
        __builtin_add_overflow(s.micros, v.micros, &s.micros))
      s = kLost;
  }
  static void subtract(Sum& s, const Value& v) {
    if (lost(s)) return;
    if (__builtin_sub_overflow(s.months, v.months, &s.months) | __builtin_sub_overflow(s.days, v.days, &s.days) |
        __builtin_sub_overflow(s.micros, v.micros, &s.micros))
      s = kLost;
  }
  static void write(RowWriter& w, const Sum& v) { w.interval(v); }
  static Sum read(RowReader& r) { return r.interval(); }
  static void append(ColumnBuilder& b, const Sum& v) { b.append_interval(v); }
};

/// The fields that Numbers::write fills: one of the sum's type for most.
template <typename Numbers>
constexpr std::size_t fields_of_sum() {
  if constexpr (requires { Numbers::kFields; }) return Numbers::kFields;
  else return 1;
}
template <typename Numbers>
Type sum_and_count(const Type& sum) {
  std::vector<Field> fields = {{"sum", sum}};
  if constexpr (requires { Numbers::kFields; }) fields = Numbers::fields(sum);
  fields.push_back({"count", Type::bigint(), false});
  return Type::row(std::move(fields));
}

template <typename Numbers>
class SumBase : public AggregateFunction {
 public:
  using Value = typename Numbers::Value;
  struct State {
    typename Numbers::Sum sum;
    std::int64_t count;
  };
  SumBase(Type type, Type state) : AggregateFunction(std::move(type), true, std::move(state), sizeof(State)) {}

  void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin, std::uint64_t) const override {
    each_value<State, Value>(rows, at, *argument, begin, [](State& s, const Value& v, std::int64_t) {
      Numbers::add(s.sum, v);
      ++s.count;
    });
  }
  void retract(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin) const override {
    each_value<State, Value>(rows, at, *argument, begin, [](State& s, const Value& v, std::int64_t) {
      Numbers::subtract(s.sum, v);
      if (--s.count == 0) s.sum = {};
    });
  }
  void merge(std::byte* to, const std::byte* from) const override {
    State& s = state_at<State>(to);
    const State& other = state_at<State>(from);
    Numbers::add(s.sum, other.sum);
    s.count += other.count;
  }

 protected:
  static void encode_both(const State& s, std::string& out, RowWriter& writer) {
    writer.row();
    RowWriter inner(out, fields_of_sum<Numbers>() + 1);
    Numbers::write(inner, s.sum);
    inner.integer(s.count);
  }
  static void decode_both(State& s, std::string_view& in, RowReader& reader) {
    reader.row();
    RowReader inner(in, fields_of_sum<Numbers>() + 1);
    if (!inner.null()) s.sum = Numbers::read(inner);
    if (!inner.null()) s.count = inner.integer();
  }
};

template <typename Numbers>
class Sum final : public SumBase<Numbers> {
 public:
  using State = typename SumBase<Numbers>::State;
  Sum(Type type, bool retracts)
      : SumBase<Numbers>(type, retracts ? sum_and_count<Numbers>(type) : type), retracts_(retracts) {}

  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    const State& s = state_at<State>(state);
    const bool fails = s.count != 0 && (Numbers::lost(s.sum) || !fits(s.sum));
    if (s.count == 0 || fails) out.append_null();
    else Numbers::append(out, s.sum);
    return fails ? fmt::format("the sum does not fit {}", this->type().name()) : "";
  }
  void encode(const std::byte* state, std::string& out, RowWriter& writer) const override {
    const State& s = state_at<State>(state);
    if (retracts_) return this->encode_both(s, out, writer);
    s.count == 0 ? writer.null() : Numbers::write(writer, s.sum);
  }
  void decode(std::byte* state, std::string_view& in, RowReader& reader) const override {
    State& s = state_at<State>(state);
    if (reader.null()) return;
    if (retracts_) return this->decode_both(s, in, reader);
    s.sum = Numbers::read(reader);
    s.count = 1;
  }

 private:
  static bool fits(const typename Numbers::Sum& v) {
    if constexpr (std::is_same_v<typename Numbers::Sum, Int128>) return fits_digits(v, kDecimalDigits);
    else return (void)v, true;
  }
  bool retracts_;
};

template <typename Numbers>
class Average final : public SumBase<Numbers> {
 public:
  using State = typename SumBase<Numbers>::State;
  Average(Type type, Type sum, int scale)
      : SumBase<Numbers>(std::move(type), sum_and_count<Numbers>(sum)), scale_(scale) {}

  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    const State& s = state_at<State>(state);
    bool fails = s.count != 0 && Numbers::lost(s.sum);
    if (s.count == 0 || fails) {
      out.append_null();
    } else if (this->type().kind() != TypeKind::kDecimal) {
      out.append_double(Numbers::as_double(s.sum, scale_) / static_cast<double>(s.count));
    } else if constexpr (std::is_same_v<typename Numbers::Sum, Int128>) {
      const auto mean = decimal_divide(s.sum, s.count, this->type().scale() - scale_);
      fails = !mean || !fits_digits(*mean, kDecimalDigits);
      fails ? out.append_null() : out.append_decimal(*mean);
    }
    return fails ? fmt::format("the average does not fit {}", this->type().name()) : "";
  }
  void encode(const std::byte* state, std::string& out, RowWriter& writer) const override {
    this->encode_both(state_at<State>(state), out, writer);
  }
  void decode(std::byte* state, std::string_view& in, RowReader& reader) const override {
    if (!reader.null()) this->decode_both(state_at<State>(state), in, reader);
  }

 private:
  int scale_;
};

}  // namespace

AggregateFunctionPtr make_count(const AggregateRequest&) { return std::make_shared<Count>(); }

AggregateFunctionPtr make_sum(const AggregateRequest& r) {
  const Type& type = r.argument->type;
  switch (type.kind()) {
    case TypeKind::kInt: return std::make_shared<Sum<Integers>>(Type::bigint(), r.retracts);
    case TypeKind::kBigint: return std::make_shared<Sum<Bigints>>(Type::decimal(kDecimalDigits, 0), r.retracts);
    case TypeKind::kDecimal: return std::make_shared<Sum<Decimals>>(Type::decimal(kDecimalDigits, type.scale()), r.retracts);
    case TypeKind::kDouble:
      if (r.retracts) return std::make_shared<Sum<CountedDoubles>>(Type::dbl(), true);
      return std::make_shared<Sum<Doubles>>(Type::dbl(), false);
    case TypeKind::kInterval: return std::make_shared<Sum<Intervals>>(Type::interval(), r.retracts);
    default: return nullptr;
  }
}

AggregateFunctionPtr make_average(const AggregateRequest& r) {
  const Type& type = r.argument->type;
  switch (type.kind()) {
    case TypeKind::kInt: return std::make_shared<Average<Integers>>(Type::dbl(), Type::bigint(), 0);
    case TypeKind::kBigint: return std::make_shared<Average<Bigints>>(Type::dbl(), Type::decimal(kDecimalDigits, 0), 0);
    case TypeKind::kDecimal:
      return std::make_shared<Average<Decimals>>(Type::decimal(kDecimalDigits, std::max(type.scale(), 6)),
                                                 Type::decimal(kDecimalDigits, type.scale()), type.scale());
    case TypeKind::kDouble:
      if (r.retracts) return std::make_shared<Average<CountedDoubles>>(Type::dbl(), Type::dbl(), 0);
      return std::make_shared<Average<Doubles>>(Type::dbl(), Type::dbl(), 0);
    default: return nullptr;
  }
}

}  // namespace weir::expr
