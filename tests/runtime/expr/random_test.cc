#include <atomic>
#include <random>
#include <thread>

#include "tests/runtime/expr/table.h"

using namespace weir;
using namespace weir::test;

namespace {

/// Makes expressions of a wanted type out of all that the grammar has, over columns a, b (int), x (double), d (decimal), s,
/// u (varchar), p, q (boolean), t (timestamp).
class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  std::string boolean(int depth) {
    if (depth <= 0) return pick({"p", "q", "true", "false", "null::boolean", "a > 1", "s = 'b'", "x is null"});
    switch (below(13)) {
      case 0: return "(" + boolean(depth - 1) + " and " + boolean(depth - 1) + ")";
      case 1: return "(" + boolean(depth - 1) + " or " + boolean(depth - 1) + ")";
      case 2: return "(not " + boolean(depth - 1) + ")";
      case 3: return compared(integer(depth - 1), integer(depth - 1));
      case 4: return compared(number(depth - 1), number(depth - 1));
      case 5: return compared(text(depth - 1), text(depth - 1));
      case 6: return "(" + integer(depth - 1) + " in (" + integer(depth - 1) + ", 1, null))";
      case 7: return "(" + integer(depth - 1) + " between " + integer(depth - 1) + " and " + integer(depth - 1) + ")";
      case 8:
        return "(" + text(depth - 1) + pick({" like ", " not like ", " ilike "}) +
               pick({"'a%'", "'%b'", "'%'", "'_'", "s", "'a%b%'"}) + ")";
      case 9:
        return "(" + boolean(depth - 1) + " is " + pick({"", "not "}) + pick({"true", "false", "unknown", "null"}) + ")";
      case 10: return "(" + any(depth - 1) + " is null)";
      case 11: return chosen(depth, [&](int n) { return boolean(n); });
      default: return "(" + number(depth - 1) + " is distinct from " + number(depth - 1) + ")";
    }
  }

  std::string integer(int depth) {
    if (depth <= 0) return pick({"a", "b", "0", "1", "-7", "2147483647", "null::int"});
    switch (below(7)) {
      case 0: return "(" + integer(depth - 1) + pick({" + ", " - ", " * "}) + integer(depth - 1) + ")";
      case 1: return "(" + integer(depth - 1) + pick({" / ", " % "}) + integer(depth - 1) + ")";
      case 2: return "abs(" + integer(depth - 1) + ")";
      case 3: return "length(" + text(depth - 1) + ")";
      case 4: return number(depth - 1) + "::int";
      case 5: return text(depth - 1) + "::int";
      default: return chosen(depth, [&](int n) { return integer(n); });
    }
  }

  std::string number(int depth) {
    if (depth <= 0) return pick({"x", "d", "1.5", "0.25::double", "'nan'::double", "a"});
    switch (below(6)) {
      case 0: return "(" + number(depth - 1) + pick({" + ", " - ", " * "}) + number(depth - 1) + ")";
      case 1: return "(" + number(depth - 1) + " / " + number(depth - 1) + ")";
      case 2: return pick({"round(", "floor(", "ceil(", "abs("}) + number(depth - 1) + ")";
      case 3: return "extract(" + pick({"hour", "second", "epoch", "dow"}) + " from " + time(depth - 1) + ")";
      case 4: return integer(depth - 1);
      default: return chosen(depth, [&](int n) { return number(n); });
    }
  }

  std::string text(int depth) {
    if (depth <= 0) return pick({"s", "u", "'a'", "''", "'ä😀'", "null::text"});
    switch (below(8)) {
      case 0: return "(" + text(depth - 1) + " || " + text(depth - 1) + ")";
      case 1: return pick({"upper(", "lower(", "btrim(", "reverse("}) + text(depth - 1) + ")";
      case 2: return "substring(" + text(depth - 1) + ", " + pick({"a", "2", "0"}) + ", " + pick({"b", "1", "3"}) + ")";
      case 3: return "concat(" + any(depth - 1) + ", " + any(depth - 1) + ")";
      case 4: return any(depth - 1) + "::text";
      case 5: return pick({"left(", "right("}) + text(depth - 1) + ", " + pick({"a", "-1", "2"}) + ")";
      case 6: return "replace(" + text(depth - 1) + ", " + text(depth - 1) + ", " + text(depth - 1) + ")";
      default: return chosen(depth, [&](int n) { return text(n); });
    }
  }

  std::string time(int depth) {
    if (depth <= 0) return pick({"t", "timestamp '2024-02-29 12:00'", "null::timestamp"});
    switch (below(4)) {
      case 0: return "(" + time(depth - 1) + " + " + integer(depth - 1) + " * interval '1 hour')";
      case 1: return "date_trunc(" + pick({"'hour'", "'week'", "'month'"}) + ", " + time(depth - 1) + ")";
      case 2: return time(depth - 1) + "::date::timestamp";
      default: return chosen(depth, [&](int n) { return time(n); });
    }
  }

  std::string any(int depth) {
    switch (below(5)) {
      case 0: return boolean(depth);
      case 1: return integer(depth);
      case 2: return number(depth);
      case 3: return text(depth);
      default: return time(depth);
    }
  }

 private:
  template <typename Make>
  std::string chosen(int depth, Make make) {
    switch (below(5)) {
      case 0: return "case when " + boolean(depth - 1) + " then " + make(depth - 1) + " else " + make(depth - 1) + " end";
      case 1:
        return "case " + integer(depth - 1) + " when 1 then " + make(depth - 1) + " when a then " + make(depth - 1) + " end";
      case 2: return "coalesce(" + make(depth - 1) + ", " + make(depth - 1) + ")";
      case 3: return "nullif(" + make(depth - 1) + ", " + make(depth - 1) + ")";
      default: return pick({"greatest(", "least("}) + make(depth - 1) + ", " + make(depth - 1) + ")";
    }
  }
  std::string compared(const std::string& a, const std::string& b) {
    return "(" + a + pick({" = ", " <> ", " < ", " <= ", " > ", " >= "}) + b + ")";
  }
  std::string pick(const std::vector<std::string>& choices) { return choices[below(choices.size())]; }
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  std::mt19937 random_;
};

BatchPtr sample() {
  return table("a int, b int, x double, d decimal(10,2), s varchar, u varchar, p boolean, q boolean, t timestamp",
               {{"1", "2", "1.5", "1.50", "a", "b", "t", "f", "2024-01-01"},
                {"null", "0", "NaN", "null", "abc", "null", "f", "null", "1969-12-31 23:59:59"},
                {"2147483647", "-1", "null", "-99999999.99", "", "", "null", "t", "null"},
                {"-2147483648", "null", "0", "0.01", "null", "12", "t", "t", "2024-02-29 12:34:56.789"},
                {"0", "3", "-1e300", "12.34", "ä😀", "7", "f", "f", "9999-12-31"}});
}

}  // namespace

TEST_CASE("any expression gives a row the same value alone, among others, and as a filter") {
  const BatchPtr t = sample();
  int kept = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Maker maker(seed);
    const std::string text = seed % 2 ? maker.boolean(4) : maker.any(4);
    std::vector<ExpressionError> errors;
    const ExpressionPtr e = Expression::compile(text, *t->schema(), errors);
    for (const ExpressionError& x : errors) CHECK(x.offset <= text.size());
    if (!e) continue;  // an ill-typed mix, or a literal that cannot be read
    ++kept;
    values_of(text, t);
  }
  CHECK(kept > 1500);
}

TEST_CASE("texts that are no expressions are refused, never more") {
  const Schema schema = *sample()->schema();
  std::mt19937 random(1);
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::string text = Maker(seed).any(3);
    const int changes = static_cast<int>(random() % 4) + 1;
    for (int i = 0; i < changes && !text.empty(); ++i) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text.erase(at, random() % 5 + 1); break;
        case 1: text.insert(at, std::string(1, static_cast<char>(random() % 256))); break;
        case 2: text[at] = "()'\";,.*-/ \\$:%"[random() % 15]; break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 10));
      }
    }
    std::vector<ExpressionError> errors;
    const ExpressionPtr e = Expression::compile(text, schema, errors);
    INFO(text);
    CHECK((e == nullptr) == !errors.empty());
    for (const ExpressionError& x : errors) CHECK(x.offset <= text.size());
  }
}

TEST_CASE("several threads compile and run expressions at once") {
  const BatchPtr t = sample();
  const ExpressionPtr shared = compiled("case when a > 0 then upper(s) else concat(s, x) end", *t->schema());
  std::vector<RowError> none;
  const ColumnPtr wanted = shared->evaluate(*t, nullptr, context_at(), none);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      for (unsigned i = 0; i < 50; ++i) {
        std::vector<ExpressionError> problems;
        std::vector<RowError> errors;
        const ExpressionPtr e = Expression::compile(Maker(k * 1000 + i).any(3), *t->schema(), problems);
        if (e) e->evaluate(*t, nullptr, context_at(), errors);
        const ColumnPtr again = shared->evaluate(*t, nullptr, context_at(), errors);
        for (std::int64_t row = 0; row < t->rows(); ++row) wrong += !same_value(*again, row, *wanted, row);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}
