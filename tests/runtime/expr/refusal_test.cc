#include "tests/runtime/expr/table.h"

using namespace weir;
using namespace weir::test;

TEST_CASE("what is not one plain expression is refused") {
  const std::string empty = "0: the expression is empty (write a column, a value, or a computation such as price * 2)";
  CHECK(refusals("") == Texts{empty});
  CHECK(refusals("   ") == Texts{empty});
  CHECK(refusals("-- nothing") == Texts{empty});
  CHECK(refusals("/* nothing */") == Texts{empty});
  CHECK(refusals("price, name") == Texts{"7: two expressions, separated by a comma, where one is expected"});
  CHECK(refusals("price total") == Texts{"6: unexpected name `total` behind the expression (is an operator missing before "
                                         "it? a result is named by its key: "
                                         "{ total: \"...\" })"});
  CHECK(refusals("price as total") ==
        Texts{"9: unexpected name `total` behind the expression (a result is named by its key: { total: \"...\" })"});
  CHECK(refusals("price from t") == Texts{"6: `from` cannot stand in an expression (to name a column, write \"from\")"});
  CHECK(refusals("price where quantity > 1") ==
        Texts{"6: `where` cannot stand in an expression (to name a column, write \"where\")"});
  CHECK(refusals("price order by name")[0].starts_with("6: `order by` cannot stand in an expression"));
  CHECK(refusals("price limit 3")[0].starts_with("6: `limit` cannot stand in an expression"));
  CHECK(refusals("distinct price")[0].starts_with("0: `distinct` cannot stand in an expression"));
  CHECK(refusals(" all price")[0].starts_with("1: `all` cannot stand in an expression"));
  CHECK(type_of("allowed", "allowed int") == "int");
  CHECK(refusals("1; select 2") == Texts{"1: an expression is not a list of statements (remove the `;` and what follows)"});
  CHECK(refusals("1;") == Texts{"1: an expression is not a list of statements (remove the `;` and what follows)"});
  CHECK(refusals("1 union select 2")[0].find("`union` cannot stand in an expression") != std::string::npos);
  CHECK(refusals("*")[0].starts_with("0: `*` cannot stand in an expression"));
  CHECK(refusals("(select 1)") == Texts{"0: subqueries are not supported yet (a list of values is written in (1, 2))"});
  CHECK(refusals("exists (select 1)")[0].find("subqueries") != std::string::npos);
  CHECK(refusals("$1 + 1")[0].starts_with("0: parameters like $1 cannot stand in an expression"));
  CHECK(
      refusals("count(*)") ==
      Texts{
          "0: count(...) with * is an aggregate call, which can only stand in an aggregate step (aggregate: { by: [column], "
          "select: { x: \"count(...)\" } })"});
  CHECK(refusals("1 + sum(price)") ==
        Texts{"4: sum is an aggregate function, which can only stand in an aggregate step (aggregate: "
              "{ by: [column], select: { x: \"sum(...)\" } })"});
  CHECK(refusals("lag(price) over (order by at)")[0].starts_with("0: window calls (over ...) are not supported yet"));
  CHECK(refusals(std::string("pri\0ce", 6)) == Texts{"3: the expression has a zero byte"});
  CHECK(refusals("'\xff'") == Texts{"0: the expression is not valid UTF-8"});
  CHECK(refusals(std::string(70'000, '1')) == Texts{"0: the expression is longer than 64 KiB"});
}

TEST_CASE("syntax errors point at their place, counted in bytes") {
  CHECK(refusals("price +") == Texts{"7: the expression ends too early"});
  CHECK(refusals("(price") == Texts{"6: the expression ends too early (a ) is missing)"});
  CHECK(refusals("price )") == Texts{"6: syntax error at or near \")\" (there is no ( for it)"});
  CHECK(refusals("'ä' )") == Texts{"5: syntax error at or near \")\" (there is no ( for it)"});
  CHECK(refusals("'abc") ==
        Texts{"0: unterminated quoted string at or near \"'abc\" (close the text with ', and write '' for a ' within it)"});
  std::string deep(12'000, '(');
  deep.append(1, '1').append(12'000, ')');
  CHECK(refusals(deep) == Texts{"0: the expression is nested too deeply (split it over several select steps)"});
  CHECK(refusals("price = 1_000")[0].starts_with("8: trailing junk after numeric literal"));
}

TEST_CASE("keywords that are columns say how to be written") {
  CHECK(refusals("order > 5") == Texts{"0: syntax error at the keyword \"order\" (to name a column, write \"order\")"});
  CHECK(refusals("price + end") == Texts{"8: syntax error at or near \"end\" (to name a column, write \"end\")"});
  CHECK(refusals("user = 'x'") == Texts{"0: `user` is a keyword here, not a column (to name a column, write \"user\")"});
  CHECK(refusals("limit > 3") == Texts{"0: syntax error at the keyword \"limit\" (to name a column, write \"limit\")"});
  CHECK(refusals("limit") == Texts{"0: syntax error at the keyword \"limit\" (to name a column, write \"limit\")"});
  CHECK(refusals("from") == Texts{"0: syntax error at the keyword \"from\" (to name a column, write \"from\")"});
  CHECK(refusals("DESC = 1") == Texts{"0: syntax error at or near \"DESC\" (to name a column, write \"desc\")"});
  CHECK(type_of("\"order\" + \"end\"", "order int, end int") == "int");
}

TEST_CASE("unknown names show their nearest neighbour") {
  CHECK(refusals("prise * 2") == Texts{"0: unknown column \"prise\" (did you mean price?)"});
  CHECK(refusals("uper(name)") == Texts{"0: unknown function \"uper\" (did you mean upper?)"});
  CHECK(refusals("zzzzzz") == Texts{"0: unknown column \"zzzzzz\" (columns are price, quantity, name, at)"});
  CHECK(refusals("t.price") ==
        Texts{"0: unknown column \"t\" (in \"t.price\") (columns have no table name here: write price)"});
  CHECK(refusals("prise + quantitty") == Texts{"0: unknown column \"prise\" (did you mean price?)",
                                               "8: unknown column \"quantitty\" (did you mean quantity?)"});
  CHECK(refusals("to_char(at, 'YYYY')") == Texts{"0: function to_char is not supported yet"});
  CHECK(refusals("price::flot") == Texts{"7: unknown type \"flot\" (types are boolean, int, bigint, double, decimal(p,s), "
                                         "varchar, bytea, date, timestamp, interval, json)"});
  CHECK(refusals("price::real") == Texts{"7: type float4 is not supported yet (use double)"});
}

TEST_CASE("unquoted names match without regard to case while that is unambiguous") {
  CHECK(type_of("PRICE", "price int") == "int");
  CHECK(type_of("price", "Price int") == "int");
  CHECK(type_of("\"Price\"", "Price int, price double") == "int");
  CHECK(type_of("PRICE", "Price int, price double") == "double");
  CHECK(refusals("PRICE", "Price int, pricE double") ==
        Texts{"0: column name \"price\" is ambiguous: several columns differ only in case (write \"Price\" or \"pricE\" in "
              "double quotes, in YAML: '\"Price\"')"});
  CHECK(refusals("\"PRICE\"", "price int") == Texts{"0: unknown column \"PRICE\" (did you mean price?)"});
  const std::string longer(80, 'x');
  CHECK(type_of(longer + " + 1", longer + " int") == "int");
  CHECK(type_of("\"" + longer + "\" + 1", longer + " int") == "int");
}

TEST_CASE("the notation of other dialects and languages is recognised") {
  const auto hint = [](const std::string& text) {
    const Texts all = refusals(text, "a int, b boolean, k varchar, at timestamp");
    return all.empty() ? std::string() : all[0];
  };
  const std::pair<const char*, const char*> cases[] = {
      {"`a` > 0", "0: backticks are not SQL (names are quoted with double quotes: \"a\")"},
      {"k = ‘x’", "4: these are typographic quotes, which are letters to SQL (write 'x')"},
      {"“a > 0”",
       "0: these are typographic quotes, which are letters to SQL (put the expression into straight quotes: \"a > 0\")"},
      {"a ≥ 1", "2: the sign ≥ is not SQL (write >=)"},
      {"a\u00A0> 1", "1: a no-break space (U+00A0) is not SQL (write a blank)"},
      {"a > 1；", "5: a full-width semicolon (U+FF1B) is not SQL (write ;)"},
      {"a > 1 && a < 5", "6: && is not SQL (write and)"},
      {"b || b", "2: operator does not exist: boolean || boolean (write or)"},
      {"!b", "0: operator does not exist: ! boolean (write not)"},
      {"k + k", "2: operator does not exist: varchar + varchar (texts are put together with ||)"},
      {"k = \"x\"", "4: unknown column \"x\" (a text stands in single quotes: 'x')"},
      {"a in [1, 2]", "5: syntax error at or near \"[\" (a list stands in round brackets: in (1, 2))"},
      {"1 < a < 5", "6: syntax error at or near \"<\" (comparisons do not chain: write 1 < x and x < 5)"},
      {"a = 1 or = 2", "9: syntax error at or near \"=\" (behind or stands a whole condition: x = 1 or x = 2)"},
      {"a > 1 and > 2", "10: syntax error at or near \">\" (behind and stands a whole condition: x = 1 and x = 2)"},
      {"a > and b = 1", "4: syntax error at or near \"and\" (a value is missing before and)"},
      {"a between 1 to 5", "12: syntax error at or near \"to\" (write between 1 and 2)"},
      {"case when a > 1 then 2",
       "22: the expression ends too early (a choice is written case when CONDITION then X else Y end)"},
      {"case when (a > 1 then 2",
       "17: syntax error at or near \"then\" (a choice is written case when CONDITION then X else Y end)"},
      {"a > random", "4: unknown column \"random\" (write random(...))"},
      {"where a > 1", "0: `where` cannot stand in an expression (write the condition alone)"},
      {"at + interval 5 minute", "14: syntax error at or near \"5\" (write interval '5 minute')"},
      {"a > 1 ? 1 : 2", "10: syntax error at or near \":\" (write case when CONDITION then X else Y end)"},
      {"ifnull(a, 1)", "0: unknown function \"ifnull\" (write coalesce(x, y))"},
      {"if(b, 1, 2)", "0: unknown function \"if\" (write case when CONDITION then X else Y end)"},
      {"year(at)", "0: unknown function \"year\" (write extract(year from x))"},
      {"at > 5",
       "3: operator does not exist: timestamp > int (a time is written timestamp '2024-01-01'; a number of seconds becomes "
       "a timestamp by to_timestamp(x), a timestamp "
       "one by extract(epoch from x))"},
      {"a > 1 and", "9: the expression ends too early, behind and"},
      {"5m", "0: trailing junk after numeric literal at or near \"5m\" (a span of time is written interval '5 minutes')"},
  };
  for (const auto& [text, message] : cases) CHECK(hint(text) == message);
  CHECK(type_of("'‘a’ ≥ && `'", "k varchar") == "varchar");
}

TEST_CASE("types that do not fit are refused where they stand") {
  CHECK(refusals("name = 12") == Texts{"5: operator does not exist: varchar = int (cast the int to varchar: x::varchar)"});
  CHECK(refusals("name + 1") == Texts{"5: operator does not exist: varchar + int (make a number of the text: x::double)"});
  CHECK(refusals("'1' + '2'") == Texts{"4: operator is not unique: unknown + unknown (add a cast, for example '1'::int)"});
  CHECK(refusals("price and true") ==
        Texts{"0: argument of AND must be type boolean, not double (compare it with something, for example price <> 0)"});
  CHECK(
      refusals("case when quantity then 1 end") ==
      Texts{
          "10: argument of CASE/WHEN must be type boolean, not int (compare it with something, for example quantity <> 0)"});
  CHECK(refusals("case when true then 1 else name end") ==
        Texts{"27: CASE types int and varchar cannot be matched (cast the int to varchar: x::varchar)"});
  CHECK(refusals("coalesce(price, at)") ==
        Texts{"16: COALESCE types double and timestamp cannot be matched (a time is written timestamp '2024-01-01'; a "
              "number of seconds becomes a timestamp by "
              "to_timestamp(x), a timestamp one by extract(epoch from x))"});
  CHECK(refusals("upper(price)") == Texts{"0: function upper(double) does not exist (it takes upper(varchar))"});
  CHECK(refusals("price > 'abc'") == Texts{"8: invalid input syntax for type double: \"abc\""});
  CHECK(refusals("at > '2024-13-01'") == Texts{"5: date/time field value out of range: \"2024-13-01\""});
  CHECK(refusals("at::bigint") == Texts{"2: cannot cast type timestamp to bigint (use extract(epoch from x))"});
  CHECK(refusals("quantity in (1, 'x')") == Texts{"16: invalid input syntax for type int: \"x\""});
  CHECK(refusals("extract(fortnight from at)")[0].starts_with("8: unit \"fortnight\" is not known for type timestamp"));
  CHECK(refusals("quantity between 'a' and 3") == Texts{"17: invalid input syntax for type int: \"a\""});
  CHECK(refusals("price::decimal") ==
        Texts{"7: decimal needs its digits here (write decimal(12,2): 12 digits, 2 of them behind the point)"});
  CHECK(refusals("price::decimal(50,2)")[0].starts_with("7: decimal has 1 to 38 digits"));
}

TEST_CASE("what is not built is refused as such") {
  for (const char* text :
       {"name similar to 'a'", "name ~ 'a'", "(price, name) = (1, 'a')", "array[1, 2]", "price = any(array[1])",
        "name collate \"C\"", "b'01'", "current_time", "current_timestamp(3)", "now() at time zone 'CET'",
        "price::numeric(10,2)[]", "name -> 'a'", "upper(variadic name)", "regexp_replace(name, 'a', 'b')"}) {
    INFO(text);
    const Texts errors = refusals(text);
    CHECK(errors[0].find("not supported yet") != std::string::npos);
  }
}

TEST_CASE("deep and long expressions are refused or work, but never crash") {
  std::string sum = "1";
  for (int i = 0; i < 400; ++i) sum += " + 1";
  CHECK(value_of(sum) == "401");
  std::string deeper = "1";
  for (int i = 0; i < 10'000; ++i) deeper += "+1";
  CHECK(refusals(deeper)[0] == "0: the expression is nested too deeply (split it over several select steps)");
  CHECK_FALSE(refusals(std::string(20'000, '(')).empty());
  std::string nots;
  for (int i = 0; i < 12'000; ++i) nots += "not ";
  CHECK_FALSE(refusals(nots + "true").empty());
  std::string list = "quantity in (0";
  for (int i = 1; i < 3000; ++i) list += "," + std::to_string(i);
  CHECK(type_of(list + ")", "quantity int") == "boolean");
}

TEST_CASE("what other languages call == is =") {
  CHECK(refusals("quantity == 1") == Texts{"9: operator does not exist: int == int (write =)"});
}

TEST_CASE("a complaint shows whole characters") {
  CHECK(refusals("1 + 2é")[0].starts_with("4: trailing junk after numeric literal at or near \"2é\" ("));
  CHECK(refusals("1é + 2")[0].starts_with("0: trailing junk after numeric literal at or near \"1é\" ("));
}
