#include "runtime/state/suffix_codec.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "runtime/base/error.h"

namespace weir {
namespace {

ColumnPtr numbers(const std::vector<std::optional<std::int64_t>>& values) {
  ColumnBuilder builder(Type::bigint());
  for (const auto& v : values) v ? builder.append_bigint(*v) : builder.append_null();
  return builder.finish();
}

/// The values in the order of their suffixes, null as -.
std::string sorted(const std::vector<std::optional<std::int64_t>>& values, SortOrder order) {
  SuffixCodec codec({{Type::bigint(), order}});
  const ColumnPtr column[] = {numbers(values)};
  codec.take(column, static_cast<std::int64_t>(values.size()));
  std::vector<std::string> suffixes(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) codec.append(static_cast<std::int64_t>(i), suffixes[i]);
  std::sort(suffixes.begin(), suffixes.end());
  std::string text;
  for (const std::string& suffix : suffixes) {
    ColumnBuilder back[] = {ColumnBuilder(Type::bigint())};
    SuffixCodec::decode(suffix, std::span(&order, 1), back);
    const ColumnPtr one = back[0].finish();
    text += one->valid(0) ? fmt::format("{} ", one->values<std::int64_t>()[0]) : "- ";
  }
  return text;
}

}  // namespace

TEST_CASE("suffixes sort up and down, with nulls first and last") {
  const std::vector<std::optional<std::int64_t>> values = {3, -1, std::nullopt, 256, 0};
  CHECK(sorted(values, {}) == "-1 0 3 256 - ");
  CHECK(sorted(values, {.nulls_first = true}) == "- -1 0 3 256 ");
  CHECK(sorted(values, {.descending = true}) == "- 256 3 0 -1 ");
  CHECK(sorted(values, {.descending = true, .nulls_first = false}) == "256 3 0 -1 - ");
}

TEST_CASE("texts in descending order keep to their lengths, and parts to theirs") {
  ColumnBuilder texts(Type::varchar()), times(Type::timestamp());
  const std::vector<std::string> values = {"", "a", "ab", std::string("a\0b", 3), "b"};
  for (const std::string& v : values) texts.append_text(v), times.append_bigint(-7);
  const ColumnPtr columns[] = {texts.finish(), times.finish()};
  const std::vector<SortOrder> orders = {{.descending = true}, {}};
  SuffixCodec codec({{Type::varchar(), orders[0]}, {Type::timestamp(), orders[1]}});
  codec.take(columns, 5);
  std::vector<std::string> suffixes(5);
  for (std::int64_t i = 0; i < 5; ++i) codec.append(i, suffixes[static_cast<std::size_t>(i)]);
  std::sort(suffixes.begin(), suffixes.end());
  std::vector<std::string> back;
  for (const std::string& suffix : suffixes) {
    ColumnBuilder builders[] = {ColumnBuilder(Type::varchar()), ColumnBuilder(Type::timestamp())};
    SuffixCodec::decode(suffix, orders, builders);
    back.emplace_back(builders[0].finish()->text(0));
    CHECK(builders[1].finish()->values<std::int64_t>()[0] == -7);
  }
  CHECK(back == std::vector<std::string>{"b", "ab", std::string("a\0b", 3), "a", ""});
}

TEST_CASE("bytes that are no suffix are refused") {
  const SortOrder down{.descending = true};
  for (const std::string& bytes : {std::string(), std::string("\x07"), std::string("\xfe\1"), std::string(10, '\xfe')}) {
    ColumnBuilder builders[] = {ColumnBuilder(Type::bigint())};
    CHECK_THROWS_AS(SuffixCodec::decode(bytes, std::span(&down, 1), builders), Error);
  }
}

}  // namespace weir
