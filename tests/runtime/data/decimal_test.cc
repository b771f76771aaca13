#include "runtime/data/decimal.h"

#include <catch2/catch.hpp>
#include <random>

#include "runtime/data/value_text.h"

using namespace weir;

namespace {

std::string text(Int128 v, int scale = 0) {
  std::string s;
  append_decimal(s, v, scale);
  return s;
}
std::string text(std::optional<Int128> v, int scale = 0) { return v ? text(*v, scale) : "overflow"; }
Int128 number(std::string_view s, int scale = 0) {
  const ParsedDecimal p = parse_decimal(s, scale);
  REQUIRE(p.status == ParsedDecimal::Status::kOk);
  return p.value;
}
const std::string kNines(38, '9');

}  // namespace

TEST_CASE("decimals are read and printed with the digits of their scale") {
  CHECK(text(number("-0.5", 2), 2) == "-0.50");
  CHECK(text(number(".5", 0)) == "1");
  CHECK(text(number("-.49", 0)) == "0");
  CHECK(text(number("1e3", 1), 1) == "1000.0");
  CHECK(text(number("12.345e1", 1), 1) == "123.5");
  CHECK(text(number("5e-1", 0)) == "1");
  CHECK(text(number("0e999", 0)) == "0");
  CHECK(text(number("00012", 0)) == "12");
  CHECK(text(number(kNines)) == kNines);
  CHECK(parse_decimal(kNines + "9", 0).status == ParsedDecimal::Status::kOverflow);
  CHECK(parse_decimal(kNines + ".5", 0).status == ParsedDecimal::Status::kOverflow);
  CHECK(parse_decimal("1e100000000000", 0).status == ParsedDecimal::Status::kOverflow);
  for (const char* bad : {"", "-", ".", "1.2.3", "1e", "e1", "abc", "1 ", "0x1", "1e+", "--1"}) {
    INFO(bad);
    CHECK(parse_decimal(bad, 0).status == ParsedDecimal::Status::kSyntax);
  }
  std::string trimmed;
  append_decimal_trimmed(trimmed, number("-12.500", 3), 3);
  append_decimal_trimmed(trimmed, number("3.000", 3), 3);
  CHECK(trimmed == "-12.53");
}

TEST_CASE("decimal arithmetic reports what 38 digits do not hold") {
  CHECK(text(decimal_add(number(kNines), 1)) == "overflow");
  CHECK(text(decimal_add(number(kNines), number(kNines))) == "overflow");
  CHECK(text(decimal_subtract(-number(kNines), 1)) == "overflow");
  CHECK(text(decimal_multiply(number("12345678901234567890"), number("1000000000000000000"))) ==
        "12345678901234567890000000000000000000");
  CHECK(text(decimal_multiply(number("12345678901234567890"), number("10000000000000000000"))) == "overflow");
  CHECK(text(decimal_multiply(number(kNines), number(kNines), 38)) == "99999999999999999999999999999999999998");
  CHECK(text(decimal_multiply(number("15"), number("1"), 1)) == "2");
  CHECK(text(decimal_multiply(number("-15"), number("1"), 1)) == "-2");
  CHECK(text(decimal_divide(number("1"), number("3"), 16), 16) == "0.3333333333333333");
  CHECK(text(decimal_divide(number("-2"), number("3"), 2), 2) == "-0.67");
  CHECK(text(decimal_divide(number(kNines), number("3"), 0)) == std::string(38, '3'));
  CHECK(text(decimal_divide(number(kNines), number(kNines), 37), 37) == "1.0000000000000000000000000000000000000");
  CHECK(text(decimal_divide(number(kNines), 1, 1)) == "overflow");
  CHECK(text(decimal_rescale(number("12345", 0), 3, 2), 2) == "12.35");
  CHECK(text(decimal_rescale(number("-12345", 0), 3, 0)) == "-12");
  CHECK(text(decimal_rescale(number(kNines), 0, 1)) == "overflow");
}

TEST_CASE("decimals of any scales compare") {
  CHECK(decimal_compare(number("1.50", 2), 2, number("1.5", 1), 1) == 0);
  CHECK(decimal_compare(number(kNines), 0, 1, 38) == 1);
  CHECK(decimal_compare(-number(kNines), 0, 1, 38) == -1);
  CHECK(decimal_compare(1, 38, number(kNines), 0) == -1);
  CHECK(decimal_compare(-2, 0, -15, 1) == -1);
}

TEST_CASE("decimals and doubles convert to the nearest") {
  CHECK(decimal_to_double(908, 3) == 0.908);
  CHECK(decimal_to_double(number("123456789012345678901234567890"), 10) == 12345678901234567890.123456789);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double v =
        static_cast<double>(static_cast<std::int64_t>(random() % 2'000'000'001) - 1'000'000'000) / (i % 2 ? 1000.0 : 977.0);
    std::string shortest;
    append_double(shortest, v);
    for (const int scale : {0, 1, 2, 5}) {
      INFO(shortest << " at " << scale);
      CHECK(decimal_from_double(v, scale) == number(shortest, scale));
    }
  }
  CHECK(decimal_from_double(1.005, 2) == Int128{101});
  CHECK(decimal_from_double(0.5, 0) == Int128{1});
  CHECK(decimal_from_double(-2.5, 0) == Int128{-3});
  CHECK_FALSE(decimal_from_double(1e40, 0));
}

TEST_CASE("literals say which decimal holds them") {
  const auto shape = [](std::string_view s) {
    const auto d = decimal_shape(s);
    return d ? std::to_string(d->precision) + "," + std::to_string(d->scale) : "none";
  };
  CHECK(shape("0.908") == "3,3");
  CHECK(shape("12.50") == "4,2");
  CHECK(shape("0") == "1,0");
  CHECK(shape("1e3") == "4,0");
  CHECK(shape("1e-40") == "none");
  CHECK(shape("1e38") == "none");
  CHECK(shape(kNines) == "38,0");
}
