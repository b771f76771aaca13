#include "runtime/expr/aggregate.h"

#include <catch2/catch.hpp>
#include <random>

using namespace weir;

namespace {

const Schema kInput({{"k", Type::varchar()},
                     {"v", Type::integer()},
                     {"b", Type::bigint()},
                     {"d", Type::decimal(10, 2)},
                     {"x", Type::dbl()}});

/// A row of accumulators of some calls.
class Accumulators {
 public:
  explicit Accumulators(const AggregateCalls& calls)
      : calls_(calls), memory_(calls.row_size() / sizeof(AccumulatorBytes) + 1) {}
  ~Accumulators() { calls_.clear(row()); }
  std::byte* row() { return reinterpret_cast<std::byte*>(memory_.data()); }

  std::string results() {
    std::vector<ColumnBuilder> builders;
    for (const AggregateCall& call : calls_.calls()) builders.emplace_back(call.function->type());
    const std::string problem = calls_.results(row(), builders);
    std::string text = problem.empty() ? "" : "(" + problem + ") ";
    for (ColumnBuilder& b : builders) {
      append_value(text, *b.finish(), 0);
      text += ' ';
    }
    return text;
  }

 private:
  const AggregateCalls& calls_;
  std::vector<AccumulatorBytes> memory_;
};

AggregateCalls all_calls(bool retracts) {
  AggregateCalls calls(kInput, {}, retracts);
  std::vector<std::string> items = {"count(*)",
                                    "count(v)",
                                    "sum(v)",
                                    "sum(b)",
                                    "sum(d)",
                                    "avg(v)",
                                    "avg(d)",
                                    "min(v)",
                                    "max(b)",
                                    "min(k)",
                                    "max(k)",
                                    "max(d)",
                                    "count(distinct k)",
                                    "bool_and(v > 0)",
                                    "bool_or(v > 5)",
                                    "sum(b) filter (where v > 3)",
                                    "first(k)",
                                    "last(v)",
                                    "any_value(k)",
                                    "array_agg(v)",
                                    "string_agg(k, '-')",
                                    "sum(distinct v)",
                                    "avg(distinct b)",
                                    "array_agg(distinct k)",
                                    "string_agg(distinct k, '')",
                                    "last(distinct v)",
                                    "min(x)",
                                    "sum(x)",
                                    "avg(x)"};
  for (const std::string& item : items) {
    std::vector<ExpressionError> errors;
    INFO(item);
    REQUIRE(calls.bind("", item, errors));
  }
  return calls;
}

std::shared_ptr<const RecordBatch> random_batch(std::mt19937& random, std::int64_t rows) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<ColumnBuilder> builders;
  for (const Field& f : kInput.fields()) builders.emplace_back(f.type);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (ColumnBuilder& b : builders) {
      if (pick(5) == 0) {
        b.append_null();
        continue;
      }
      switch (b.type().kind()) {
        case TypeKind::kVarchar: b.append_text(std::string(1, static_cast<char>('a' + pick(5)))); break;
        case TypeKind::kInt: b.append_int(pick(20) - 5); break;
        case TypeKind::kBigint: b.append_bigint(pick(1000) - 500); break;
        case TypeKind::kDecimal: b.append_decimal(pick(100000)); break;
        default: b.append_double(pick(100) / 4.0);
      }
    }
  }
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& b : builders) columns.push_back(b.finish());
  return std::make_shared<const RecordBatch>(std::make_shared<const Schema>(kInput), std::move(columns), rows);
}

void update(const AggregateCalls& calls, const RecordBatch& batch, std::byte* row, std::uint64_t sequence) {
  AggregateArguments arguments(calls);
  std::vector<RowError> errors;
  arguments.evaluate(batch, {}, errors);
  REQUIRE(errors.empty());
  arguments.update(std::vector<std::byte*>(static_cast<std::size_t>(batch.rows()), row), sequence);
}

}  // namespace

TEST_CASE("merging, copying and writing accumulators keep what they have seen") {
  const AggregateCalls calls = all_calls(false);
  for (unsigned seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto first = random_batch(random, random() % 6), second = random_batch(random, random() % 6);
    Accumulators whole(calls), a(calls), b(calls), copied(calls), read(calls);
    update(calls, *first, whole.row(), 0);
    update(calls, *second, whole.row(), 100);
    update(calls, *first, a.row(), 0);
    update(calls, *second, b.row(), 100);
    calls.merge(b.row(), a.row());  // the later one takes the earlier one
    CHECK(b.results() == whole.results());
    calls.copy(copied.row(), whole.row());
    CHECK(copied.results() == whole.results());
    std::string bytes;
    calls.encode(whole.row(), bytes);
    calls.decode(read.row(), bytes);
    CHECK(read.results() == whole.results());
    calls.clear(copied.row());
    CHECK(copied.results() == Accumulators(calls).results());
  }
}

TEST_CASE("rows that are taken back are as if they had never been there") {
  const AggregateCalls calls = all_calls(true);
  for (unsigned seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto kept = random_batch(random, 1 + random() % 6), gone = random_batch(random, 1 + random() % 6);
    Accumulators expected(calls), found(calls);
    update(calls, *kept, expected.row(), 0);
    AggregateArguments arguments(calls);
    std::vector<RowError> errors;
    update(calls, *kept, found.row(), 0);
    arguments.evaluate(*gone, {}, errors);
    for (std::int64_t i = 0; i < gone->rows(); ++i) arguments.update_one(i, found.row(), false, 100);
    arguments.evaluate(*gone, {}, errors);
    for (std::int64_t i = 0; i < gone->rows(); ++i) arguments.update_one(i, found.row(), true, 0);
    CHECK(found.results() == expected.results());
    std::string bytes;
    Accumulators read(calls);
    calls.encode(found.row(), bytes);
    calls.decode(read.row(), bytes);
    CHECK(read.results() == expected.results());
  }
}

TEST_CASE("an infinity or NaN that is taken back leaves no trace") {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const Schema schema({{"x", Type::dbl()}});
  AggregateCalls calls(schema, {}, true);
  std::vector<ExpressionError> errors;
  for (const char* item : {"sum(x)", "avg(x)", "var_pop(x)"}) REQUIRE(calls.bind("", item, errors));
  const auto batch_of = [&](const std::vector<double>& values) {
    ColumnBuilder b(Type::dbl());
    for (const double v : values) b.append_double(v);
    return RecordBatch(std::make_shared<const Schema>(schema), {b.finish()}, static_cast<std::int64_t>(values.size()));
  };
  Accumulators found(calls), read(calls);
  update(calls, batch_of({1, 3}), found.row(), 0);
  CHECK(found.results() == "4 2 1 ");
  const RecordBatch odd = batch_of({infinity, -infinity, nan});
  AggregateArguments arguments(calls);
  std::vector<RowError> row_errors;
  arguments.evaluate(odd, {}, row_errors);
  for (int i = 0; i < 3; ++i) arguments.update_one(i, found.row(), false, 0);
  CHECK(found.results() == "NaN NaN NaN ");
  std::string bytes;
  calls.encode(found.row(), bytes);
  calls.decode(read.row(), bytes);
  arguments.evaluate(odd, {}, row_errors);
  arguments.update_one(1, read.row(), true, 0);
  arguments.update_one(2, read.row(), true, 0);
  CHECK(read.results() == "Infinity Infinity NaN ");
  arguments.evaluate(odd, {}, row_errors);
  arguments.update_one(0, read.row(), true, 0);
  CHECK(read.results() == "4 2 1 ");
}

TEST_CASE("a sum that does not fit has no result, also after it was written and read") {
  std::vector<ExpressionError> errors;
  const Schema schema({{"d", Type::decimal(38, 0)}});
  AggregateCalls big(schema, {}, false);
  REQUIRE(big.bind("s", "sum(d)", errors));
  ColumnBuilder b(Type::decimal(38, 0));
  for (int i = 0; i < 3; ++i)
    b.append_decimal(static_cast<Int128>(99'999'999'999'999'999) * 1'000'000'000'000'000'000 * 999);
  const RecordBatch batch(std::make_shared<const Schema>(schema), {b.finish()}, 3);
  Accumulators sum(big), read(big);
  update(big, batch, sum.row(), 0);
  CHECK(sum.results() == "(sum(d): the sum does not fit decimal(38,0)) null ");
  std::string bytes;
  big.encode(sum.row(), bytes);
  big.decode(read.row(), bytes);
  CHECK(read.results() == sum.results());
}

TEST_CASE("a sum of doubles that overflows is lost, one of an infinity is infinite") {
  const Schema schema({{"x", Type::dbl()}});
  const auto batch_of = [&](const std::vector<double>& values) {
    ColumnBuilder b(Type::dbl());
    for (const double v : values) b.append_double(v);
    return RecordBatch(std::make_shared<const Schema>(schema), {b.finish()}, static_cast<std::int64_t>(values.size()));
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const bool retracts : {false, true}) {
    INFO("retracts " << retracts);
    AggregateCalls calls(schema, {}, retracts);
    std::vector<ExpressionError> errors;
    for (const char* item : {"sum(x)", "avg(x)"}) REQUIRE(calls.bind("", item, errors));
    Accumulators lost(calls), read(calls), merged(calls), infinite(calls);
    update(calls, batch_of({1e308, 1e308}), lost.row(), 0);
    const std::string nothing = "(avg(x): the average does not fit double) null null ";
    CHECK(lost.results() == nothing);
    std::string bytes;
    calls.encode(lost.row(), bytes);
    calls.decode(read.row(), bytes);
    CHECK(read.results() == nothing);
    update(calls, batch_of({1}), merged.row(), 4);
    calls.merge(merged.row(), read.row());
    CHECK(merged.results() == nothing);
    update(calls, batch_of({-1e308, -1e308}), merged.row(), 2);
    CHECK(merged.results() == (retracts ? "1 0.2 " : nothing));
    update(calls, batch_of({1e308, infinity}), infinite.row(), 0);
    CHECK(infinite.results() == "Infinity Infinity ");
  }
}

TEST_CASE("a sum that did not fit is there again when what made it too large is taken back") {
  const Schema schema({{"d", Type::decimal(38, 0)}, {"x", Type::dbl()}, {"i", Type::interval()}});
  AggregateCalls calls(schema, {}, true);
  std::vector<ExpressionError> errors;
  for (const char* item : {"sum(d)", "avg(d)", "sum(x)", "avg(x)", "sum(i)"}) REQUIRE(calls.bind("", item, errors));
  const Int128 huge =
      static_cast<Int128>(9'000'000'000'000'000'000) * static_cast<Int128>(10'000'000'000'000'000'000u);  // 9e37
  const auto row_of = [&](Int128 d, double x, Interval i) {
    std::vector<ColumnBuilder> b;
    for (const Field& f : schema.fields()) b.emplace_back(f.type);
    b[0].append_decimal(d), b[1].append_double(x), b[2].append_interval(i);
    return RecordBatch(std::make_shared<const Schema>(schema), {b[0].finish(), b[1].finish(), b[2].finish()}, 1);
  };
  const auto change = [&](Accumulators& to, const RecordBatch& row, bool retract) {
    AggregateArguments arguments(calls);
    std::vector<RowError> row_errors;
    arguments.evaluate(row, {}, row_errors);
    arguments.update_one(0, to.row(), retract, 0);
  };
  for (const int sign : {1, -1}) {
    INFO("sign " << sign);
    const RecordBatch small = row_of(5, 3, {1, 2, 3}),
                      large = row_of(sign * huge, sign * 1.5e308, {sign * INT32_MAX, sign * INT32_MAX, sign * INT64_MAX});
    Accumulators found(calls), other(calls), read(calls);
    change(found, small, false);
    const std::string before = found.results();
    CHECK(before == "5 5.000000 3 3 1 mon 2 days 00:00:00.000003 ");
    for (int i = 0; i < 5; ++i) change(found, large, false);
    CHECK_THAT(found.results(), Catch::Contains("does not fit") && Catch::Contains("null null null null null"));
    std::string bytes;
    calls.encode(found.row(), bytes);
    calls.decode(read.row(), bytes);
    for (int i = 0; i < 5; ++i) change(read, large, true);
    CHECK(read.results() == before);
    for (int i = 0; i < 5; ++i) change(other, large, true);  // in another order
    calls.merge(other.row(), found.row());
    CHECK(other.results() == before);
  }
}

TEST_CASE("of equal values the last to arrive is taken back") {
  const Schema schema({{"v", Type::integer()}});
  AggregateCalls calls(schema, {}, true);
  std::vector<ExpressionError> errors;
  for (const char* item : {"array_agg(v)", "first(v)", "last(v)"}) REQUIRE(calls.bind("", item, errors));
  const auto batch_of = [&](const std::vector<int>& values) {
    ColumnBuilder b(Type::integer());
    for (const int v : values) b.append_int(v);
    return RecordBatch(std::make_shared<const Schema>(schema), {b.finish()}, static_cast<std::int64_t>(values.size()));
  };
  Accumulators found(calls);
  update(calls, batch_of({5, 7, 5}), found.row(), 0);
  AggregateArguments arguments(calls);
  std::vector<RowError> row_errors;
  arguments.evaluate(batch_of({5}), {}, row_errors);
  arguments.update_one(0, found.row(), true, 0);
  CHECK(found.results() == "{5,7} 5 7 ");
}

TEST_CASE("distinct values of every type are counted once, merged, taken back and written") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> types = {
      {"boolean", {"true", "false"}},
      {"integer", {"-2147483648", "0", "2147483647"}},
      {"bigint", {"-9223372036854775808", "0", "5"}},
      {"double", {"-0.0::double", "'NaN'", "1.5", "'-Infinity'"}},
      {"decimal(38,0)", {"-99999999999999999999999999999999999999", "0", "7"}},
      {"date", {"'2024-01-01'", "'1970-01-01'"}},
      {"timestamp", {"'2024-01-01'", "'1970-01-01'"}},
      {"interval", {"'1 month'", "'1 day'", "'0'"}},
      {"varchar", {"''", "'a'", "'ab'", "repeat('long', 30)"}},
      {"bytea", {"'\\x'", "'\\x00'", "'\\x0001'", "'\\x0000'"}}};
  const Schema input({{"i", Type::integer()}});
  ColumnBuilder ordinals(Type::integer());
  constexpr int kRows = 12;
  for (int i = 0; i < kRows; ++i) ordinals.append_int(i);
  const RecordBatch batch(std::make_shared<const Schema>(input), {ordinals.finish()}, kRows);
  for (const bool retracts : {false, true}) {
    for (const auto& [type, values] : types) {
      INFO(type << ", retracts " << retracts);
      std::string item = "count(distinct case i % " + std::to_string(values.size() + 1);
      for (std::size_t i = 0; i < values.size(); ++i)
        item += " when " + std::to_string(i) + " then (" + values[i] + ")::" + type;
      AggregateCalls calls(input, {}, retracts);
      std::vector<ExpressionError> errors;
      INFO(item << " end)");
      REQUIRE(calls.bind("n", item + " end)", errors));
      const std::string all = std::to_string(values.size()) + " ";
      Accumulators once(calls), read(calls), copied(calls);
      update(calls, batch, once.row(), 0);
      CHECK(once.results() == all);
      std::string bytes;
      calls.encode(once.row(), bytes);
      calls.decode(read.row(), bytes);
      CHECK(read.results() == all);
      CHECK(calls.owned_bytes(read.row()) > values.size());
      update(calls, batch, read.row(), 0);
      CHECK(read.results() == all);
      calls.merge(read.row(), once.row());
      CHECK(read.results() == all);
      calls.copy(copied.row(), read.row());
      calls.clear(read.row());
      CHECK(copied.results() == all);
      if (!retracts) continue;
      for (int round = 0; round < 3; ++round) {  // each was given three times
        CHECK(copied.results() == all);
        AggregateArguments arguments(calls);
        std::vector<RowError> row_errors;
        arguments.evaluate(batch, {}, row_errors);
        for (int i = 0; i < kRows; ++i) arguments.update_one(i, copied.row(), true, 0);
      }
      CHECK(copied.results() == "0 ");
    }
  }
}

TEST_CASE("a distinct set is written as the array of its values, and with their counts where they may be taken back") {
  const Schema schema({{"v", Type::integer()}});
  ColumnBuilder b(Type::integer());
  for (const int v : {7, 7}) b.append_int(v);
  b.append_null();
  const RecordBatch batch(std::make_shared<const Schema>(schema), {b.finish()}, 3);
  for (const bool retracts : {false, true}) {
    AggregateCalls calls(schema, {}, retracts);
    std::vector<ExpressionError> errors;
    REQUIRE(calls.bind("n", "count(distinct v)", errors));
    Accumulators found(calls);
    update(calls, batch, found.row(), 0);
    std::string bytes, expected;
    calls.encode(found.row(), bytes);
    const auto list_of = [&](RowWriter& to, std::int64_t value) {
      to.list(1);
      RowWriter(expected, 1).integer(value);
    };
    RowWriter writer(expected, 1);
    if (retracts) {
      writer.row();
      RowWriter lists(expected, 2);
      list_of(lists, 7);
      list_of(lists, 2);
    } else {
      list_of(writer, 7);
    }
    CHECK(bytes == expected);
  }
}

TEST_CASE("calls of the same text are one, and an item may compute with several") {
  AggregateCalls calls(kInput, {{"k", Type::varchar()}}, false);
  std::vector<ExpressionError> errors;
  CHECK(calls.bind("mean", "sum(v) * 1.0 / count(*)", errors));
  CHECK(calls.bind("n", "count(*)", errors));
  CHECK(calls.bind("who", "upper(k) || sum(v)::varchar", errors));
  CHECK(errors.empty());
  CHECK(calls.calls().size() == 2);
  CHECK(calls.state_fields()[1].name == "n");
}
