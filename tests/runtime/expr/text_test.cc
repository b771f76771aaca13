#include "tests/runtime/expr/table.h"

using namespace weir;
using namespace weir::test;

TEST_CASE("text functions count code points") {
  CHECK(value_of("char_length('äöü😀')") == "4");
  CHECK(value_of("octet_length('äöü😀')") == "10");
  CHECK(value_of("upper('äöü straße ñ')") == "ÄÖÜ STRAßE Ñ");
  CHECK(value_of("lower('ÄÖÜ ΑΒΓ')") == "äöü αβγ");
  CHECK(value_of("left('😀a😀b', 2)") == "😀a");
  CHECK(value_of("left('hello', -2)") == "hel");
  CHECK(value_of("right('😀a😀b', 2)") == "😀b");
  CHECK(value_of("right('hello', -2)") == "llo");
  CHECK(value_of("left('hello', -9)") == "");
  CHECK(value_of("reverse('a😀b')") == "b😀a");
  CHECK(value_of("position('😀' in 'ab😀')") == "3");
  CHECK(value_of("position('' in 'ab')") == "1");
  CHECK(value_of("strpos('ab', 'z')") == "0");
  CHECK(value_of("lpad('7', 3, '0')") == "007");
  CHECK(value_of("lpad('hello', 2)") == "he");
  CHECK(value_of("rpad('a', 4, 'xy')") == "axyx");
  CHECK(value_of("repeat('ab', 3)") == "ababab");
  CHECK(value_of("repeat('ab', -1)") == "");
  CHECK(value_of("repeat('ab', 2000000000)").starts_with("error: requested length too large"));
  CHECK(value_of("split_part('a,b,,c', ',', 2)") == "b");
  CHECK(value_of("split_part('a,b,,c', ',', -1)") == "c");
  CHECK(value_of("split_part('a,b', ',', 9)") == "");
  CHECK(value_of("split_part('a', ',', 0)") == "error: field position must not be zero: split_part(..., 0)");
  CHECK(value_of("starts_with('weir', 'we')") == "t");
  CHECK(value_of("replace('aXbXc', 'X', '--')") == "a--b--c");
  CHECK(value_of("replace('abc', '', 'x')") == "abc");
}

TEST_CASE("substring takes any start and length") {
  CHECK(value_of("substring('hello' from 2)") == "ello");
  CHECK(value_of("substring('hello' from 2 for 2)") == "el");
  CHECK(value_of("substring('hello', 0, 2)") == "h");
  CHECK(value_of("substring('hello', -1, 3)") == "h");
  CHECK(value_of("substring('hello', -9)") == "hello");
  CHECK(value_of("substring('hello', 9)") == "");
  CHECK(value_of("substring('hello', 2, 2147483647)") == "ello");
  CHECK(value_of("substr('hello', 2, -1)") == "error: negative substring length not allowed: -1");
}

TEST_CASE("trim takes sets of characters") {
  CHECK(value_of("'[' || trim('  x\t ') || ']'") == "[x\t]");
  CHECK(value_of("trim(both 'xy' from 'xyaxyx')") == "a");
  CHECK(value_of("trim(leading from '  a ') || '|'") == "a |");
  CHECK(value_of("trim(trailing 'é' from 'aéé')") == "a");
  CHECK(value_of("ltrim('xxa', 'x')") == "a");
  CHECK(value_of("rtrim('a😀😀', '😀')") == "a");
  CHECK(value_of("btrim('xxx', 'x')") == "");
}

TEST_CASE("texts are put together") {
  CHECK(value_of("'a' || 1") == "a1");
  CHECK(value_of("1.50 || 'a'") == "1.50a");
  CHECK(value_of("true || 'x'") == "truex");
  CHECK(value_of("'a' || null") == "null");
  CHECK(value_of("concat('a', null, 1, true, 1.50)") == "a1t1.50");
  CHECK(value_of("concat(null)") == "");
  CHECK(value_of("concat_ws('-', 'a', null, 2)") == "a-2");
  CHECK(value_of("concat_ws(null, 'a', 'b')") == "null");
  CHECK(value_of("'\\x01'::bytea || '\\x02'::bytea") == "\\x0102");
  CHECK(refusals("1 || 2") == Texts{"2: operator does not exist: int || int (make a text of one side: x::varchar)"});
  const BatchPtr t =
      table("s varchar, n int", {{"a", "1"}, {"null", "2"}, {"", "null"}, {"long text that is not short", "-5"}});
  CHECK(values_of("s || n", t) == Texts{"a1", "null", "null", "long text that is not short-5"});
  CHECK(values_of("concat(s, n)", t) == Texts{"a1", "2", "", "long text that is not short-5"});
  CHECK(values_of("upper(coalesce(s, 'none')) || '!'", t) == Texts{"A!", "NONE!", "!", "LONG TEXT THAT IS NOT SHORT!"});
  CHECK(values_of("case when n > 0 then s when n < 0 then upper(s) else concat('n', n) end", t) ==
        Texts{"a", "null", "n", "LONG TEXT THAT IS NOT SHORT"});
}

TEST_CASE("like matches whole texts") {
  const BatchPtr t = table(
      "s varchar", {{"abc"}, {"ABC"}, {"a%c"}, {"a_c"}, {"a\\c"}, {""}, {"null"}, {"a\nc"}, {"a😀c"}, {"xabcx"}, {"abcabc"}});
  CHECK(values_of("s like 'abc'", t) == Texts{"t", "f", "f", "f", "f", "f", "null", "f", "f", "f", "f"});
  CHECK(values_of("s like 'a%'", t) == Texts{"t", "f", "t", "t", "t", "f", "null", "t", "t", "f", "t"});
  CHECK(values_of("s like '%c'", t) == Texts{"t", "f", "t", "t", "t", "f", "null", "t", "t", "f", "t"});
  CHECK(values_of("s like '%bc%'", t) == Texts{"t", "f", "f", "f", "f", "f", "null", "f", "f", "t", "t"});
  CHECK(values_of("s like 'a_c'", t) == Texts{"t", "f", "t", "t", "t", "f", "null", "t", "t", "f", "f"});
  CHECK(values_of("s like '%'", t) == Texts{"t", "t", "t", "t", "t", "t", "null", "t", "t", "t", "t"});
  CHECK(values_of("s like ''", t) == Texts{"f", "f", "f", "f", "f", "t", "null", "f", "f", "f", "f"});
  CHECK(values_of("s like 'a\\%c'", t)[2] == "t");
  CHECK(values_of("s like 'a!%c' escape '!'", t) == Texts{"f", "f", "t", "f", "f", "f", "null", "f", "f", "f", "f"});
  CHECK(values_of("s like 'a\\c' escape ''", t)[4] == "t");
  CHECK(values_of("s like 'a%b%c'", t) == Texts{"t", "f", "f", "f", "f", "f", "null", "f", "f", "f", "t"});
  CHECK(values_of("s not like 'a%'", t) == Texts{"f", "t", "f", "f", "f", "t", "null", "f", "f", "t", "f"});
  CHECK(values_of("s ilike 'aBc'", t) == Texts{"t", "t", "f", "f", "f", "f", "null", "f", "f", "f", "f"});
  CHECK(values_of("s like s", t)[4] == "f");
  CHECK(values_of("s like s", t)[2] == "t");
  CHECK(values_of("'x' like '%' || s", t)[0] == "f");
  CHECK(value_of("'ÄB' ilike 'ä_'") == "t");
  CHECK(value_of("'a' like 'a' escape 'xy'") == "error: invalid escape string: \"xy\", must be empty or one character");
  CHECK(value_of("'ab' like 'a!' escape '!'") == "error: LIKE pattern must not end with escape character: \"a!\"");
}

TEST_CASE("bytes and encodings") {
  CHECK(value_of("convert_from('\\x77656972', 'UTF8')") == "weir");
  CHECK(value_of("convert_from('\\xff', 'utf-8')") == "error: invalid byte sequence for encoding \"UTF8\" at byte 0: 0xff");
  CHECK(value_of("convert_from('\\xe4', 'latin1')") == "ä");
  CHECK(value_of("convert_to('ä', 'UTF8')") == "\\xc3a4");
  CHECK(value_of("convert_to('ä', 'latin1')") == "\\xe4");
  CHECK(value_of("convert_from('\\x00', 'koi8')").starts_with("error: encoding \"koi8\" is not supported"));
  CHECK(value_of("encode('\\x00ff', 'hex')") == "00ff");
  CHECK(value_of("encode('weir', 'base64')") == "d2Vpcg==");
  CHECK(value_of("decode('d2Vpcg==', 'base64')::text") == "\\x77656972");
  CHECK(value_of("decode('d2V', 'base64')").starts_with("error: invalid base64 text"));
  CHECK(value_of("decode('00ff', 'hex')") == "\\x00ff");
  CHECK(value_of("decode('0g', 'hex')").starts_with("error: invalid hex text"));
  CHECK(value_of("length('\\x0102'::bytea)") == "2");
}

TEST_CASE("text compares byte by byte") {
  const BatchPtr t =
      table("s varchar, u varchar", {{"a", "b"}, {"a", "a"}, {"B", "a"}, {"ab", "a"}, {"", "a"}, {"null", "a"}, {"ä", "z"}});
  CHECK(values_of("s = u", t) == Texts{"f", "t", "f", "f", "f", "null", "f"});
  CHECK(values_of("s < u", t) == Texts{"t", "f", "t", "f", "t", "null", "f"});
  CHECK(values_of("s >= 'a'", t) == Texts{"t", "t", "f", "t", "f", "null", "t"});
  CHECK(values_of("'a' = s", t) == Texts{"t", "t", "f", "f", "f", "null", "f"});
  CHECK(values_of("upper(s) = 'A'", t) == Texts{"t", "t", "f", "f", "f", "null", "f"});
  CHECK(values_of("s in ('a', 'ä')", t) == Texts{"t", "t", "f", "f", "f", "null", "t"});
  CHECK(values_of("s in ('1','2','3','4','5','6','7','8','9','a')", t) == Texts{"t", "t", "f", "f", "f", "null", "f"});
}
