#include "tests/runtime/expr/table.h"

using namespace weir;
using namespace weir::test;

TEST_CASE("times move by intervals") {
  CHECK(value_of("timestamp '2024-01-31' + interval '1 month'") == "2024-02-29 00:00:00");
  CHECK(value_of("timestamp '2024-03-31' - interval '1 month'") == "2024-02-29 00:00:00");
  CHECK(value_of("interval '1 day' + timestamp '2024-02-28 12:00'") == "2024-02-29 12:00:00");
  CHECK(value_of("timestamp '2024-01-01' + '90 minutes'") == "2024-01-01 01:30:00");
  CHECK(value_of("timestamp '1969-12-31 23:00' + interval '2 hours'") == "1970-01-01 01:00:00");
  CHECK(value_of("timestamp '2024-01-02 12:00' - timestamp '2024-01-01'") == "1 day 12:00:00");
  CHECK(value_of("timestamp '2024-01-01' - timestamp '2024-01-02 12:00'") == "-1 days -12:00:00");
  CHECK(value_of("timestamp '+294000-01-01' + interval '1000 years'") ==
        "error: timestamp out of range: 294000-01-01 00:00:00 + 1000 years");
  CHECK(value_of("date '2024-02-28' + 2") == "2024-03-01");
  CHECK(value_of("2 + date '2024-02-28'") == "2024-03-01");
  CHECK(value_of("date '2024-03-01' - date '2024-02-01'") == "29");
  CHECK(value_of("date '2024-03-01' - 1") == "2024-02-29");
  CHECK(value_of("date '2024-01-31' + interval '1 month'") == "2024-02-29 00:00:00");
  CHECK(value_of("date '2024-01-02' > timestamp '2024-01-01 12:00'") == "t");
  CHECK(type_of("timestamp '2024-01-01' + n * interval '1 second'", "n bigint") == "timestamp");
  const BatchPtr t =
      table("at timestamp, n int", {{"2024-01-01", "1"}, {"null", "2"}, {"2024-01-01", "null"}, {"2024-01-01", "86400"}});
  CHECK(values_of("at + n * interval '1 second'", t) == Texts{"2024-01-01 00:00:01", "null", "null", "2024-01-02 00:00:00"});
  CHECK(values_of("at between '2024-01-01' and '2024-01-02'", t) == Texts{"t", "null", "t", "t"});
}

TEST_CASE("intervals are computed part by part") {
  CHECK(value_of("interval '1 day' + interval '2 hours'") == "1 day 02:00:00");
  CHECK(value_of("interval '1 day' - interval '2 hours'") == "1 day -02:00:00");
  CHECK(value_of("interval '1 second' * 90") == "00:01:30");
  CHECK(value_of("1.5 * interval '1 day'") == "1 day 12:00:00");
  CHECK(value_of("interval '1 hour' / 4") == "00:15:00");
  CHECK(value_of("interval '1 hour' / 0") == "error: division by zero: 01:00:00 / 0");
  CHECK(value_of("-interval '1 day'") == "-1 days");
  CHECK(value_of("interval '2000000000 days' * 2") == "error: interval out of range: 2000000000 days * 2");
  CHECK(value_of("interval '24 hours' = interval '1 day'") == "t");
  CHECK(value_of("interval '30 days' = interval '1 month'") == "t");
  CHECK(value_of("interval '1 hour' < interval '61 minutes'") == "t");
}

TEST_CASE("date_trunc finds the beginning of a unit, also before 1970") {
  const BatchPtr t =
      table("at timestamp",
            {{"2024-02-29 12:34:56.789"}, {"1969-12-31 23:59:59.999"}, {"null"}, {"2000-01-01"}, {"2001-05-06 07:08"}});
  CHECK(values_of("date_trunc('second', at)", t) ==
        Texts{"2024-02-29 12:34:56", "1969-12-31 23:59:59", "null", "2000-01-01 00:00:00", "2001-05-06 07:08:00"});
  CHECK(values_of("date_trunc('hour', at)", t) ==
        Texts{"2024-02-29 12:00:00", "1969-12-31 23:00:00", "null", "2000-01-01 00:00:00", "2001-05-06 07:00:00"});
  CHECK(values_of("date_trunc('day', at)", t) ==
        Texts{"2024-02-29 00:00:00", "1969-12-31 00:00:00", "null", "2000-01-01 00:00:00", "2001-05-06 00:00:00"});
  CHECK(values_of("date_trunc('week', at)", t) ==
        Texts{"2024-02-26 00:00:00", "1969-12-29 00:00:00", "null", "1999-12-27 00:00:00", "2001-04-30 00:00:00"});
  CHECK(values_of("date_trunc('month', at)", t)[0] == "2024-02-01 00:00:00");
  CHECK(values_of("date_trunc('quarter', at)", t)[4] == "2001-04-01 00:00:00");
  CHECK(values_of("date_trunc('year', at)", t)[1] == "1969-01-01 00:00:00");
  CHECK(values_of("date_trunc('century', at)", t) ==
        Texts{"2001-01-01 00:00:00", "1901-01-01 00:00:00", "null", "1901-01-01 00:00:00", "2001-01-01 00:00:00"});
  CHECK(values_of("date_trunc('fortnight', at)", t)[0].starts_with("error: unit \"fortnight\" is not known"));
}

TEST_CASE("extract takes times and intervals apart") {
  const std::string at = "timestamp '2024-02-29 12:34:56.789'";
  CHECK(value_of("extract(year from " + at + ")") == "2024");
  CHECK(value_of("extract(quarter from " + at + ")") == "1");
  CHECK(value_of("extract(month from " + at + ")") == "2");
  CHECK(value_of("extract(week from " + at + ")") == "9");
  CHECK(value_of("extract(day from " + at + ")") == "29");
  CHECK(value_of("extract(doy from " + at + ")") == "60");
  CHECK(value_of("extract(dow from " + at + ")") == "4");
  CHECK(value_of("extract(isodow from timestamp '2024-03-03')") == "7");
  CHECK(value_of("extract(dow from timestamp '2024-03-03')") == "0");
  CHECK(value_of("extract(isoyear from timestamp '2021-01-03')") == "2020");
  CHECK(value_of("extract(week from timestamp '2021-01-03')") == "53");
  CHECK(value_of("extract(hour from " + at + ")") == "12");
  CHECK(value_of("extract(second from " + at + ")") == "56.789000");
  CHECK(value_of("extract(milliseconds from " + at + ")") == "56789.000");
  CHECK(value_of("extract(epoch from " + at + ")") == "1709210096.789000");
  CHECK(value_of("extract(epoch from timestamp '1969-12-31 23:59:59.999')") == "-0.001000");
  CHECK(value_of("extract(year from timestamp '1969-12-31 23:59:59.999')") == "1969");
  CHECK(value_of("extract(century from timestamp '2000-12-31')") == "20");
  CHECK(value_of("extract(century from timestamp '2001-01-01')") == "21");
  CHECK(value_of("extract(decade from date '1969-01-01')") == "196");
  CHECK(value_of("extract(hour from interval '1 day 26 hours')") == "26");
  CHECK(value_of("extract(epoch from interval '1 day 1 second')") == "86401.000000");
  CHECK(value_of("date_part('second', " + at + ")") == "56.789");
  CHECK(value_of("extract(hour from " + at + ") = 12") == "t");
  CHECK(value_of("to_timestamp(1704067200.5)") == "2024-01-01 00:00:00.5");
}

TEST_CASE("fewer digits of a second are counted from 2000, halves away from there") {
  CHECK(value_of("timestamp '1999-12-31 23:59:59.0005'::timestamp(3)") == "1999-12-31 23:59:59");
  CHECK(value_of("timestamp '1999-12-31 23:59:59.000501'::timestamp(3)") == "1999-12-31 23:59:59.001");
  CHECK(value_of("timestamp '2000-01-01 00:00:00.0005'::timestamp(3)") == "2000-01-01 00:00:00.001");
  CHECK(value_of("timestamp '1999-12-31 23:59:59.9995'::timestamp(3)") == "1999-12-31 23:59:59.999");
  CHECK(value_of("timestamp '1969-12-31 23:59:59.5'::timestamp(0)") == "1969-12-31 23:59:59");
  CHECK(value_of("timestamp '1970-01-01 00:00:00.5'::timestamp(0)") == "1970-01-01 00:00:00");
  CHECK(value_of("timestamp '2024-01-01 00:00:00.5'::timestamp(0)") == "2024-01-01 00:00:01");
  CHECK(value_of("'1985-06-01 12:00:00.25'::timestamp(1)") == "1985-06-01 12:00:00.2");
}

TEST_CASE("now is one time for the whole batch, random one number per row") {
  const BatchPtr t = table("n int", {{"1"}, {"2"}, {"3"}});
  CHECK(values_of("now()", t) == Texts(3, "2024-02-29 12:34:56.789"));
  CHECK(values_of("current_timestamp = now()", t) == Texts(3, "t"));
  CHECK(values_of("current_date", t) == Texts(3, "2024-02-29"));
  const ExpressionPtr e = compiled("random()", *t->schema());
  std::vector<RowError> errors;
  EvaluationContext c = context_at();
  const ColumnPtr a = e->evaluate(*t, nullptr, c, errors);
  c.first_row = 1;
  const ColumnPtr b = e->evaluate(*t, nullptr, c, errors);
  CHECK(a->values<double>()[0] != a->values<double>()[1]);
  CHECK(a->values<double>()[1] == b->values<double>()[0]);
  CHECK(a->values<double>()[2] == b->values<double>()[1]);
  const ColumnPtr two = compiled("random() - random()", *t->schema())->evaluate(*t, nullptr, c, errors);
  CHECK(two->values<double>()[0] != 0);
}
