#include "runtime/data/key_codec.h"
#include "runtime/expr/aggregate/kinds.h"
#include "runtime/expr/aggregate/sorted_values.h"
#include "runtime/expr/program/order.h"

namespace weir::expr {
namespace {

struct IntervalLess {
  bool operator()(const Interval& a, const Interval& b) const { return interval_length(a) < interval_length(b); }
};
template <typename T>
using LessOf = std::conditional_t<std::is_same_v<T, Interval>, IntervalLess, Less>;

template <typename T>
void append_value_of(ColumnBuilder& out, const T& v) {
  if constexpr (std::is_same_v<T, std::int32_t>) out.append_int(v);
  else if constexpr (std::is_same_v<T, std::int64_t>) out.append_bigint(v);
  else if constexpr (std::is_same_v<T, double>) out.append_double(v);
  else if constexpr (std::is_same_v<T, Int128>) out.append_decimal(v);
  else out.append_interval(v);
}
template <typename T>
void write_value(RowWriter& w, const T& v) {
  if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) w.integer(v);
  else if constexpr (std::is_same_v<T, double>) w.dbl(v);
  else if constexpr (std::is_same_v<T, Int128>) w.decimal(v);
  else w.interval(v);
}
template <typename T>
T read_value(RowReader& r) {
  if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) return static_cast<T>(r.integer());
  else if constexpr (std::is_same_v<T, double>) return r.dbl();
  else if constexpr (std::is_same_v<T, Int128>) return r.decimal();
  else return r.interval();
}

/// min and max of fixed-width values. Of equal ones the first stays.
template <typename T, bool greatest>
class FixedExtreme final : public AggregateFunction {
 public:
  struct State {
    T value;
    bool seen;
  };
  explicit FixedExtreme(const Type& type) : AggregateFunction(type, true, type, sizeof(State)) {}

  void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
              std::uint64_t) const override {
    each_value<State, T>(rows, at, *argument, begin, [](State& s, const T& v, std::int64_t) { offer(s, v); });
  }
  void merge(std::byte* to, const std::byte* from) const override {
    if (state_at<State>(from).seen) offer(state_at<State>(to), state_at<State>(from).value);
  }
  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    const State& s = state_at<State>(state);
    if (s.seen) append_value_of(out, s.value);
    else out.append_null();
    return {};
  }
  void encode(const std::byte* state, std::string&, RowWriter& writer) const override {
    const State& s = state_at<State>(state);
    if (s.seen) write_value(writer, s.value);
    else writer.null();
  }
  void decode(std::byte* state, std::string_view&, RowReader& reader) const override {
    if (reader.null()) return;
    State& s = state_at<State>(state);
    s.value = read_value<T>(reader);
    s.seen = true;
  }

 private:
  static void offer(State& s, const T& v) {
    const LessOf<T> less;
    if (!s.seen || (greatest ? less(s.value, v) : less(v, s.value))) s.value = v;
    s.seen = true;
  }
};

/// min and max of texts and bytes.
class TextExtreme final : public AggregateFunction {
 public:
  TextExtreme(const Type& type, bool greatest)
      : AggregateFunction(type, true, type, sizeof(std::string*)), greatest_(greatest) {}

  void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
              std::uint64_t) const override {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::int64_t row = begin + static_cast<std::int64_t>(k);
      if (argument->valid(row)) offer(state_at<std::string*>(rows[k], at), argument->text(row));
    }
  }
  void merge(std::byte* to, const std::byte* from) const override {
    if (const std::string* other = state_at<std::string*>(from)) offer(state_at<std::string*>(to), *other);
  }
  void copy(std::byte* to, const std::byte* from) const override {
    const std::string* other = state_at<std::string*>(from);
    state_at<std::string*>(to) = other ? new std::string(*other) : nullptr;
  }
  void clear(std::byte* state) const override { delete std::exchange(state_at<std::string*>(state), nullptr); }
  bool owns_memory() const override { return true; }
  std::size_t owned_bytes(const std::byte* state) const override {
    const std::string* s = state_at<std::string*>(state);
    return s ? sizeof *s + text_bytes(*s) : 0;
  }
  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    const std::string* s = state_at<std::string*>(state);
    s ? out.append_text(*s) : out.append_null();
    return {};
  }
  void encode(const std::byte* state, std::string&, RowWriter& writer) const override {
    const std::string* s = state_at<std::string*>(state);
    s ? writer.text(*s) : writer.null();
  }
  void decode(std::byte* state, std::string_view&, RowReader& reader) const override {
    if (!reader.null()) state_at<std::string*>(state) = new std::string(reader.text());
  }

 private:
  void offer(std::string*& s, std::string_view v) const {
    if (!s) s = new std::string(v);
    else if (greatest_ ? *s < v : v < *s) s->assign(v);
  }
  bool greatest_;
};

/// min and max where rows may be taken back: all values, with how often each is there.
class CountedExtreme final : public SortedValues {
 public:
  CountedExtreme(const Type& type, bool greatest) : SortedValues(type, type, false), greatest_(greatest) {}

  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    const Values* values = state_at<Values*>(state);
    if (!values || values->map().empty()) return out.append_null(), "";
    ColumnBuilder one[] = {ColumnBuilder(type())};
    decode_key(greatest_ ? values->map().rbegin()->first : values->map().begin()->first, one);
    out.append_from(*one[0].finish(), 0);
    return {};
  }

 private:
  bool greatest_;
};

template <typename T>
AggregateFunctionPtr fixed(const Type& type, bool greatest) {
  if (greatest) return std::make_shared<FixedExtreme<T, true>>(type);
  return std::make_shared<FixedExtreme<T, false>>(type);
}

}  // namespace

AggregateFunctionPtr make_extreme(const AggregateRequest& r, bool greatest) {
  const Type& type = r.argument->type;
  if (!is_key_type(type) || type.kind() == TypeKind::kBoolean) return nullptr;
  if (r.retracts) return std::make_shared<CountedExtreme>(type, greatest);
  switch (type.kind()) {
    case TypeKind::kInt:
    case TypeKind::kDate: return fixed<std::int32_t>(type, greatest);
    case TypeKind::kBigint:
    case TypeKind::kTimestamp: return fixed<std::int64_t>(type, greatest);
    case TypeKind::kDouble: return fixed<double>(type, greatest);
    case TypeKind::kDecimal: return fixed<Int128>(type, greatest);
    case TypeKind::kInterval: return fixed<Interval>(type, greatest);
    default: return std::make_shared<TextExtreme>(type, greatest);
  }
}

}  // namespace weir::expr
