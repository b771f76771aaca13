#include "runtime/data/decimal.h"
#include "runtime/expr/aggregate/kinds.h"
#include "runtime/expr/aggregate/sums.h"

namespace weir::expr {
namespace {

class Count final : public AggregateFunction {
 public:
  Count() : AggregateFunction(Type::bigint(), false, Type::bigint(), 8) {}

  void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
              std::uint64_t) const override {
    add(rows, at, argument, begin, 1);
  }
  void retract(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin) const override {
    add(rows, at, argument, begin, -1);
  }
  void merge(std::byte* to, const std::byte* from) const override {
    state_at<std::int64_t>(to) += state_at<std::int64_t>(from);
  }
  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    out.append_bigint(state_at<std::int64_t>(state));
    return {};
  }
  void encode(const std::byte* state, std::string&, RowWriter& writer) const override {
    writer.integer(state_at<std::int64_t>(state));
  }
  void decode(std::byte* state, std::string_view&, RowReader& reader) const override {
    if (!reader.null()) state_at<std::int64_t>(state) = reader.integer();
  }

 private:
  static void add(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
                  std::int64_t n) {
    if (!argument || argument->null_count() == 0) {
      for (std::byte* row : rows) state_at<std::int64_t>(row, at) += n;
      return;
    }
    const std::uint8_t* valid = argument->validity();
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (get_bit(valid, begin + static_cast<std::int64_t>(k))) state_at<std::int64_t>(rows[k], at) += n;
  }
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

  void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
              std::uint64_t) const override {
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
    if constexpr (requires { Numbers::whole(v); }) return fits_digits(Numbers::whole(v), kDecimalDigits);
    else return (void)v, true;
  }
  bool retracts_;
};

template <typename Numbers>
class Average final : public SumBase<Numbers> {
 public:
  using State = typename SumBase<Numbers>::State;
  Average(Type type, Type sum, int scale) : SumBase<Numbers>(std::move(type), sum_and_count<Numbers>(sum)), scale_(scale) {}

  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    const State& s = state_at<State>(state);
    bool fails = s.count != 0 && Numbers::lost(s.sum);
    if (s.count == 0 || fails) {
      out.append_null();
    } else if (this->type().kind() != TypeKind::kDecimal) {
      if constexpr (requires { Numbers::as_double(s.sum, scale_); })
        out.append_double(Numbers::as_double(s.sum, scale_) / static_cast<double>(s.count));
    } else if constexpr (requires { Numbers::whole(s.sum); }) {
      const auto mean = decimal_divide(Numbers::whole(s.sum), s.count, this->type().scale() - scale_);
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
    case TypeKind::kDecimal: {
      const Type sum = Type::decimal(kDecimalDigits, type.scale());
      if (r.retracts) return std::make_shared<Sum<CarriedDecimals>>(sum, true);
      return std::make_shared<Sum<Decimals>>(sum, false);
    }
    case TypeKind::kDouble:
      if (r.retracts) return std::make_shared<Sum<CountedDoubles>>(Type::dbl(), true);
      return std::make_shared<Sum<Doubles>>(Type::dbl(), false);
    case TypeKind::kInterval:
      if (r.retracts) return std::make_shared<Sum<WideIntervals>>(Type::interval(), true);
      return std::make_shared<Sum<Intervals>>(Type::interval(), false);
    default: return nullptr;
  }
}

AggregateFunctionPtr make_average(const AggregateRequest& r) {
  const Type& type = r.argument->type;
  switch (type.kind()) {
    case TypeKind::kInt: return std::make_shared<Average<Integers>>(Type::dbl(), Type::bigint(), 0);
    case TypeKind::kBigint: return std::make_shared<Average<Bigints>>(Type::dbl(), Type::decimal(kDecimalDigits, 0), 0);
    case TypeKind::kDecimal: {
      const Type mean = Type::decimal(kDecimalDigits, std::max(type.scale(), 6)),
                 sum = Type::decimal(kDecimalDigits, type.scale());
      if (r.retracts) return std::make_shared<Average<CarriedDecimals>>(mean, sum, type.scale());
      return std::make_shared<Average<Decimals>>(mean, sum, type.scale());
    }
    case TypeKind::kDouble:
      if (r.retracts) return std::make_shared<Average<CountedDoubles>>(Type::dbl(), Type::dbl(), 0);
      return std::make_shared<Average<Doubles>>(Type::dbl(), Type::dbl(), 0);
    default: return nullptr;
  }
}

}  // namespace weir::expr
