#include <cmath>
#include <limits>

#include "runtime/data/decimal.h"
#include "runtime/expr/aggregate/kinds.h"

namespace weir::expr {
namespace {

/// Mean and sum of squared differences, updated value by value (Welford 1962), merged in pairs (Chan, Golub, LeVeque 1979).
/// Infinities and NaNs are counted apart, for what they did could not be taken back.
struct Moments {
  std::int64_t count;
  double mean;
  double squares;
  std::int64_t infinite;  ///< or NaN

  void add(double v) {
    if (!std::isfinite(v)) return static_cast<void>(++infinite);
    ++count;
    const double before = v - mean;
    mean += before / static_cast<double>(count);
    squares += before * (v - mean);
  }
  void take_back(double v) {
    if (!std::isfinite(v)) return static_cast<void>(--infinite);
    if (--count == 0) {
      mean = squares = 0;
      return;
    }
    const double before = v - mean;
    mean -= before / static_cast<double>(count);
    squares = std::max(0.0, squares - before * (v - mean));
  }
  void merge(const Moments& o) {
    infinite += o.infinite;
    if (o.count == 0) return;
    const auto n = static_cast<double>(count), m = static_cast<double>(o.count);
    const double difference = o.mean - mean;
    count += o.count;
    mean += difference * m / (n + m);
    squares += o.squares + difference * difference * n * m / (n + m);
  }
};

class Variance final : public AggregateFunction {
 public:
  Variance(const Type& argument, bool sample, bool root)
      : AggregateFunction(Type::dbl(), true,
                          Type::row({{"count", Type::bigint(), false},
                                     {"mean", Type::dbl(), false},
                                     {"squares", Type::dbl(), false},
                                     {"infinite", Type::bigint(), false}}),
                          sizeof(Moments)),
        kind_(argument.kind()),
        scale_(argument.scale()),
        sample_(sample),
        root_(root) {}

  void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
              std::uint64_t) const override {
    each(rows, at, *argument, begin, [](Moments& m, double v) { m.add(v); });
  }
  void retract(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin) const override {
    each(rows, at, *argument, begin, [](Moments& m, double v) { m.take_back(v); });
  }
  void merge(std::byte* to, const std::byte* from) const override { state_at<Moments>(to).merge(state_at<Moments>(from)); }

  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    const Moments& m = state_at<Moments>(state);
    const std::int64_t divisor = m.count + m.infinite - (sample_ ? 1 : 0);
    if (divisor <= 0) return out.append_null(), "";
    if (m.infinite > 0) return out.append_double(std::numeric_limits<double>::quiet_NaN()), "";
    const double variance = m.squares / static_cast<double>(divisor);
    out.append_double(root_ ? std::sqrt(variance) : variance);
    return {};
  }

  void encode(const std::byte* state, std::string& out, RowWriter& writer) const override {
    const Moments& m = state_at<Moments>(state);
    writer.row();
    RowWriter inner(out, 4);
    inner.integer(m.count);
    inner.dbl(m.mean);
    inner.dbl(m.squares);
    inner.integer(m.infinite);
  }
  void decode(std::byte* state, std::string_view& in, RowReader& reader) const override {
    if (reader.null()) return;
    Moments& m = state_at<Moments>(state);
    reader.row();
    RowReader inner(in, 4);
    if (!inner.null()) m.count = inner.integer();
    if (!inner.null()) m.mean = inner.dbl();
    if (!inner.null()) m.squares = inner.dbl();
    if (!inner.null()) m.infinite = inner.integer();
  }

 private:
  template <typename F>
  void each(std::span<std::byte* const> rows, std::size_t at, const Column& argument, std::int64_t begin, F f) const {
    switch (kind_) {
      case TypeKind::kInt:
        return each_value<Moments, std::int32_t>(
            rows, at, argument, begin, [&](Moments& m, std::int32_t v, std::int64_t) { f(m, static_cast<double>(v)); });
      case TypeKind::kBigint:
        return each_value<Moments, std::int64_t>(
            rows, at, argument, begin, [&](Moments& m, std::int64_t v, std::int64_t) { f(m, static_cast<double>(v)); });
      case TypeKind::kDecimal:
        return each_value<Moments, Int128>(rows, at, argument, begin,
                                           [&](Moments& m, Int128 v, std::int64_t) { f(m, decimal_to_double(v, scale_)); });
      default:
        return each_value<Moments, double>(rows, at, argument, begin, [&](Moments& m, double v, std::int64_t) { f(m, v); });
    }
  }

  TypeKind kind_;
  int scale_;
  bool sample_, root_;
};

struct TruthCounts {
  std::int64_t trues, falses;
};

/// bool_and and bool_or.
class Truth final : public AggregateFunction {
 public:
  explicit Truth(bool all)
      : AggregateFunction(Type::boolean(), true,
                          Type::row({{"true", Type::bigint(), false}, {"false", Type::bigint(), false}}),
                          sizeof(TruthCounts)),
        all_(all) {}

  void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
              std::uint64_t) const override {
    add(rows, at, *argument, begin, 1);
  }
  void retract(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin) const override {
    add(rows, at, *argument, begin, -1);
  }
  void merge(std::byte* to, const std::byte* from) const override {
    state_at<TruthCounts>(to).trues += state_at<TruthCounts>(from).trues;
    state_at<TruthCounts>(to).falses += state_at<TruthCounts>(from).falses;
  }
  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    const TruthCounts& t = state_at<TruthCounts>(state);
    if (t.trues == 0 && t.falses == 0) out.append_null();
    else out.append_boolean(all_ ? t.falses == 0 : t.trues > 0);
    return {};
  }
  void encode(const std::byte* state, std::string& out, RowWriter& writer) const override {
    writer.row();
    RowWriter inner(out, 2);
    inner.integer(state_at<TruthCounts>(state).trues);
    inner.integer(state_at<TruthCounts>(state).falses);
  }
  void decode(std::byte* state, std::string_view& in, RowReader& reader) const override {
    if (reader.null()) return;
    TruthCounts& t = state_at<TruthCounts>(state);
    reader.row();
    RowReader inner(in, 2);
    if (!inner.null()) t.trues = inner.integer();
    if (!inner.null()) t.falses = inner.integer();
  }

 private:
  static void add(std::span<std::byte* const> rows, std::size_t at, const Column& argument, std::int64_t begin,
                  std::int64_t n) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::int64_t row = begin + static_cast<std::int64_t>(k);
      if (!argument.valid(row)) continue;
      TruthCounts& t = state_at<TruthCounts>(rows[k], at);
      (argument.boolean(row) ? t.trues : t.falses) += n;
    }
  }
  bool all_;
};

}  // namespace

AggregateFunctionPtr make_variance(const AggregateRequest& r) {
  if (!r.argument->type.is_number()) return nullptr;
  return std::make_shared<Variance>(r.argument->type, !r.name.ends_with("_pop"), r.name.starts_with("stddev"));
}

AggregateFunctionPtr make_boolean(const AggregateRequest& r, bool all) {
  return r.argument->type.kind() == TypeKind::kBoolean ? std::make_shared<Truth>(all) : nullptr;
}

}  // namespace weir::expr
