#include "tests/runtime/expr/table.h"

using namespace weir;
using namespace weir::test;

TEST_CASE("numbers in expressions have PostgreSQL's types") {
  CHECK(type_of("1") == "int");
  CHECK(type_of("2147483647") == "int");
  CHECK(type_of("2147483648") == "bigint");
  CHECK(type_of("-2147483648") == "int");
  CHECK(type_of("9223372036854775808") == "decimal(19,0)");
  CHECK(type_of("1.50") == "decimal(3,2)");
  CHECK(type_of("0.908") == "decimal(3,3)");
  CHECK(type_of("1e3") == "decimal(4,0)");
  CHECK(type_of("1e308") == "double");
  CHECK(type_of("price * 0.908", "price double") == "double");
  CHECK(type_of("n * 2", "n int") == "int");
  CHECK(type_of("n * 3000000000", "n int") == "bigint");
  CHECK(type_of("n + 1.5", "n int") == "decimal(12,1)");
  CHECK(type_of("n / x", "n int, x double") == "double");
}

TEST_CASE("integers overflow as errors of their row") {
  const BatchPtr t = table("i int, j int",
                           {{"7", "2"}, {"2147483647", "1"}, {"-2147483648", "-1"}, {"null", "2"}, {"5", "0"}, {"-7", "2"}});
  CHECK(values_of("i + j", t) == Texts{"9", "error: integer out of range: 2147483647 + 1",
                                       "error: integer out of range: -2147483648 + -1", "null", "5", "-5"});
  CHECK(values_of("i - j", t) == Texts{"5", "2147483646", "-2147483647", "null", "5", "-9"});
  CHECK(values_of("i * j", t) ==
        Texts{"14", "2147483647", "error: integer out of range: -2147483648 * -1", "null", "0", "-14"});
  CHECK(values_of("i / j", t) == Texts{"3", "2147483647", "error: integer out of range: -2147483648 / -1", "null",
                                       "error: division by zero: 5 / 0", "-3"});
  CHECK(values_of("i % j", t) == Texts{"1", "0", "0", "null", "error: division by zero: 5 % 0", "-1"});
  CHECK(values_of("mod(i, j)", t) == Texts{"1", "0", "0", "null", "error: division by zero: 5 % 0", "-1"});
  CHECK(values_of("-i", t) == Texts{"-7", "-2147483647", "error: integer out of range: -(-2147483648)", "null", "-5", "7"});
  CHECK(values_of("abs(i)", t) ==
        Texts{"7", "2147483647", "error: integer out of range: abs(-2147483648)", "null", "5", "7"});
  CHECK(values_of("i::bigint + j", t) == Texts{"9", "2147483648", "-2147483649", "null", "5", "-5"});
  CHECK(values_of("9223372036854775807 + i", t)[0] == "error: bigint out of range: 9223372036854775807 + 7");
}

TEST_CASE("doubles follow IEEE, but that division by zero and overflow are errors") {
  const BatchPtr t =
      table("x double, y double",
            {{"1.5", "2"}, {"0.1", "0.2"}, {"1e308", "10"}, {"5", "0"}, {"NaN", "1"}, {"null", "0"}, {"1", "-0"}});
  CHECK(values_of("x + y", t) == Texts{"3.5", "0.30000000000000004", "1e+308", "5", "NaN", "null", "1"});
  CHECK(values_of("x * y", t) ==
        Texts{"3", "0.020000000000000004", "error: value out of range: overflow: 1e+308 * 10", "0", "NaN", "null", "-0"});
  CHECK(values_of("x / y", t) ==
        Texts{"0.75", "0.5", "1e+307", "error: division by zero: 5 / 0", "NaN", "null", "error: division by zero: 1 / 0"});
  CHECK(values_of("x * 0.908", t)[0] == "1.362");
  CHECK(values_of("-x", t) == Texts{"-1.5", "-0.1", "-1e+308", "-5", "NaN", "null", "-1"});
}

TEST_CASE("doubles that are too large or too small are errors of their row") {
  const BatchPtr t = table("x double, y double", {{"1e308", "-1e308"},
                                                  {"1e-308", "1e-308"},
                                                  {"Infinity", "10"},
                                                  {"0", "1e-308"},
                                                  {"null", "1e308"},
                                                  {"1e-308", "Infinity"},
                                                  {"NaN", "0"},
                                                  {"1e-308", "1e308"}});
  CHECK(values_of("x + y", t) == Texts{"0", "2e-308", "Infinity", "1e-308", "null", "Infinity", "NaN", "1e+308"});
  CHECK(values_of("x - y", t) == Texts{"error: value out of range: overflow: 1e+308 - -1e+308", "0", "Infinity", "-1e-308",
                                       "null", "-Infinity", "NaN", "-1e+308"});
  CHECK(values_of("x + x", t)[0] == "error: value out of range: overflow: 1e+308 + 1e+308");
  CHECK(values_of("x * y", t) == Texts{"error: value out of range: overflow: 1e+308 * -1e+308",
                                       "error: value out of range: underflow: 1e-308 * 1e-308", "Infinity", "0", "null",
                                       "Infinity", "NaN", "0.9999999999999999"});
  CHECK(values_of("x / y", t) ==
        Texts{"-1", "1", "Infinity", "0", "null", "0", "NaN", "error: value out of range: underflow: 1e-308 / 1e+308"});
  CHECK(values_of("y / x", t)[7] == "error: value out of range: overflow: 1e+308 / 1e-308");
  CHECK(value_of("1e308::double precision * 10") == "error: value out of range: overflow: 1e+308 * 10");
  CHECK(value_of("exp(1000)") == "error: value out of range: overflow: exp(1000)");
  CHECK(value_of("exp(-1000)") == "error: value out of range: underflow: exp(-1000)");
  CHECK(value_of("exp('-Infinity'::double)") == "0");
  CHECK(value_of("exp('Infinity'::double)") == "Infinity");
  CHECK(value_of("power(10, 400)") == "error: value out of range: overflow: power(10, 400)");
  CHECK(value_of("power(10, -400)") == "error: value out of range: underflow: power(10, -400)");
  CHECK(value_of("power(0, 400)") == "0");
  CHECK(value_of("power(2, '-Infinity'::double)") == "0");
  CHECK(value_of("power('Infinity'::double, 2)") == "Infinity");
}

TEST_CASE("decimals keep a fixed scale") {
  CHECK(value_of("1.10 + 2.5") == "3.60");
  CHECK(value_of("1.10 * 2.5") == "2.750");
  CHECK(value_of("1.1 + 2.2 = 3.3") == "t");
  CHECK(value_of("1.00 = 1") == "t");
  CHECK(value_of("0.1::double + 0.2 = 0.3") == "f");
  CHECK(value_of("10.0 / 4") == "2.5000000000000000");
  CHECK(value_of("1.0 / 3") == "0.3333333333333333");
  CHECK(value_of("2.0 / 3") == "0.6666666666666667");
  CHECK(value_of("1.0 / 0") == "error: division by zero: 1.0 / 0");
  CHECK(value_of("7.5 % 2") == "1.5");
  CHECK(value_of("round(2.5)") == "3");
  CHECK(value_of("round(-2.5)") == "-3");
  CHECK(value_of("round(12.345, 2)") == "12.350");
  CHECK(value_of("round(1250, -2)") == "1300");
  CHECK(value_of("floor(-1.5)") == "-2");
  CHECK(value_of("ceil(-1.5)") == "-1");
  CHECK(value_of("trunc(-1.57, 1)") == "-1.50");
  CHECK(value_of("99999999999999999999999999999999999999 + 1") ==
        "error: decimal out of range (more than 38 digits): 99999999999999999999999999999999999999 + 1");
  CHECK(value_of("99999999999999999999999999999999999999 > 0.00000000000000000001") == "t");
  const BatchPtr t = table("d decimal(10,2), e decimal(5,3), i int",
                           {{"12.34", "1.5", "3"}, {"-12.35", "0.001", "-3"}, {"null", "1", "1"}});
  CHECK(values_of("d + e", t) == Texts{"13.840", "-12.349", "null"});
  CHECK(values_of("d - e", t) == Texts{"10.840", "-12.351", "null"});
  CHECK(values_of("d * e", t) == Texts{"18.51000", "-0.01235", "null"});
  CHECK(values_of("d * i", t) == Texts{"37.02", "37.05", "null"});
  CHECK(values_of("d > e", t) == Texts{"t", "f", "null"});
  CHECK(values_of("d < 12.345", t) == Texts{"t", "t", "null"});
  CHECK(values_of("d = 12.34", t) == Texts{"t", "f", "null"});
  CHECK(values_of("e > i", t) == Texts{"f", "t", "f"});
  CHECK(values_of("-d", t) == Texts{"-12.34", "12.35", "null"});
  CHECK(values_of("abs(d)", t) == Texts{"12.34", "12.35", "null"});
}

TEST_CASE("functions of numbers") {
  CHECK(value_of("round(2.5::double)") == "2");
  CHECK(value_of("round(3.5::double)") == "4");
  CHECK(value_of("floor(-1.5::double)") == "-2");
  CHECK(type_of("round(5)") == "double");
  CHECK(value_of("sqrt(16)") == "4");
  CHECK(value_of("sqrt(-1)") == "error: cannot take square root of a negative number: -1");
  CHECK(value_of("power(2, 10)") == "1024");
  CHECK(value_of("2 ^ 10") == "1024");
  CHECK(value_of("power(0, -1)") == "error: zero raised to a negative power is undefined: power(0, -1)");
  CHECK(value_of("power(-8, 0.5)").starts_with("error: a negative number raised to a non-integer power"));
  CHECK(value_of("sign(-8)") == "-1");
  CHECK(value_of("5 / 2") == "2");
  CHECK(value_of("-5 / 2") == "-2");
  CHECK(value_of("5 % -3") == "2");
  CHECK(value_of("-5 % 3") == "-2");
  CHECK(value_of("- (7)") == "-7");
  CHECK(value_of("- /* a /* nested */ 4 */ - - 7") == "-7");
  CHECK(value_of("- -- 8\n 7") == "-7");
  CHECK(value_of("1 - -0") == "1");
}
