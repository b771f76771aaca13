#include "runtime/expr/aggregate/function.h"
#include "runtime/expr/bind/functions.h"
#include "tests/runtime/expr/table.h"

using namespace weir;
using namespace weir::test;

TEST_CASE("a column by itself is passed on, not copied") {
  const BatchPtr t = table("a int, b varchar", {{"1", "x"}, {"2", "null"}});
  const ExpressionPtr e = compiled("b", *t->schema());
  std::vector<RowError> errors;
  CHECK(e->as_column() == 1);
  CHECK(e->evaluate(*t, nullptr, context_at(), errors) == t->columns()[1]);
  CHECK(compiled("a + 1", *t->schema())->as_column() == std::nullopt);
}

TEST_CASE("an expression knows its columns, its type and whether it can be null") {
  const Schema s = schema_of("a int not null, b int, c varchar not null");
  CHECK(compiled("b + a * 2 + b", s)->columns() == std::vector<int>{0, 1});
  CHECK(compiled("1", s)->columns().empty());
  CHECK_FALSE(compiled("a + 1", s)->nullable());
  CHECK(compiled("a + b", s)->nullable());
  CHECK_FALSE(compiled("coalesce(b, a)", s)->nullable());
  CHECK_FALSE(compiled("b is null", s)->nullable());
  CHECK(compiled("case when a > 1 then 1 end", s)->nullable());
  CHECK(compiled("nullif(a, 1)", s)->nullable());
  CHECK_FALSE(compiled("concat(c, b)", s)->nullable());
  CHECK(compiled("c", s)->text() == "c");
  CHECK(type_of("null") == "varchar");
  CHECK(type_of("'x'") == "varchar");
}

TEST_CASE("rows, arrays and maps are carried, compared and tested for null") {
  const Schema s = schema_of("r row(a int, b row(c varchar)), xs array(int), m map(varchar, int)");
  ColumnBuilder r(s[0].type), xs(s[1].type), m(s[2].type);
  for (int i = 0; i < 3; ++i) {
    if (i == 2) {
      r.append_null(), xs.append_null(), m.append_null();
      continue;
    }
    r.child(0).append_int(i);
    r.child(1).child(0).append_text(i ? "y" : "x");
    r.child(1).end_row();
    r.end_row();
    for (int k = 0; k <= i; ++k) xs.child(0).append_int(k);
    xs.end_list();
    m.child(0).append_text("k"), m.child(1).append_int(i);
    m.end_list();
  }
  const BatchPtr t = std::make_shared<RecordBatch>(std::make_shared<Schema>(s),
                                                   std::vector<ColumnPtr>{r.finish(), xs.finish(), m.finish()}, 3);
  CHECK(values_of("r.a", t) == Texts{"0", "1", "null"});
  CHECK(values_of("(r).b.c", t) == Texts{"x", "y", "null"});
  CHECK(values_of("xs = xs", t) == Texts{"t", "t", "null"});
  CHECK(values_of("xs is null", t) == Texts{"f", "f", "t"});
  CHECK(values_of("m is not distinct from m", t) == Texts{"t", "t", "t"});
  CHECK(values_of("case when r.a = 1 then xs end", t) == Texts{"null", "{0,1}", "null"});
  CHECK(values_of("coalesce(case when r.a = 1 then r end, r)", t) == Texts{"(0,(x))", "(1,(y))", "null"});
  CHECK(values_of("(coalesce(case when r.a = 1 then r end, r)).b.c", t) == Texts{"x", "y", "null"});
  CHECK(values_of("xs::text", t) == Texts{"{0}", "{0,1}", "null"});
  CHECK(values_of("r <> r", t) == Texts{"f", "f", "null"});
  CHECK(refusals("xs < xs", "xs array(int)") ==
        Texts{"3: operator does not exist: array(int) < array(int) (only = and <> compare such values)"});
  CHECK(refusals("r.z", "r row(a int)") == Texts{"0: the row has no member \"z\" (members are a)"});
  CHECK(refusals("j = j", "j json")[0].starts_with("2: operator does not exist: json = json"));
}

TEST_CASE("large batches give the same as small ones") {
  std::vector<Texts> rows;
  Texts expected;
  for (int i = 0; i < 1001; ++i) {
    rows.push_back({i % 7 ? std::to_string(i) : "null", i % 5 ? std::to_string(i * 0.5) : "null"});
    if (i % 7 == 0 || i % 5 == 0) expected.push_back("null");
    else expected.push_back(i * 0.5 * 2 + i > 1500 ? "big" : "small");
  }
  const BatchPtr t = table("i int, x double", rows);
  const ExpressionPtr e =
      compiled("case when x * 2 + i > 1500 then 'big' when x * 2 + i <= 1500 then 'small' end", *t->schema());
  CHECK(run(*e, *t, nullptr) == expected);
}

TEST_CASE("every example of the reference works") {
  for (const FunctionDoc& d : function_docs()) {
    INFO(d.form << ": " << d.example);
    CHECK(d.doc.size() > 3);
    const std::string value = value_of(d.example);
    CHECK_FALSE(value.starts_with("error"));
  }
  CHECK(function_list().find("date_trunc") != std::string::npos);
  CHECK(function_list().find("round_timestamp") == std::string::npos);
  CHECK(function_reference("left")->starts_with("left(varchar, int) → varchar\n"));
  CHECK(function_reference("left")->find("left('weir', 2) → we") != std::string::npos);
  CHECK_FALSE(function_reference("lefft"));
  CHECK(function_name_hint("lefft") == "did you mean left?");
}

TEST_CASE("the reference has every aggregate function, in a section of its own, with what taking rows back costs") {
  for (const std::string& name : aggregate_names()) {
    INFO(name);
    const auto page = function_reference(name);
    REQUIRE(page);
    CHECK(page->starts_with(name + "("));
    CHECK(function_list().find("\n  " + name + " ") > function_list().find("\nAggregates (in an aggregate step)\n"));
  }
  for (const FunctionDoc& d : aggregate_docs()) {
    CHECK(is_aggregate(d.name));
    CHECK(d.note.size() > 10);
  }
  CHECK(function_reference("sum")->find("sum([distinct] bigint) → decimal(38,0)\n") != std::string::npos);
  CHECK(function_reference("avg")->find("six decimals") != std::string::npos);
  CHECK(function_name_hint("summ") == "did you mean sum?");
  CHECK(function_name_hint("strng_agg") == "did you mean string_agg?");
}
