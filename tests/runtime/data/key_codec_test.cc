#include "runtime/data/key_codec.h"

#include <catch2/catch.hpp>
#include <random>

#include "runtime/base/error.h"
#include "runtime/data/key_parts.h"
#include "runtime/data/row_values.h"

using namespace weir;

namespace {

const std::vector<Type> kTypes = {Type::boolean(), Type::integer(), Type::bigint(), Type::dbl(),       Type::decimal(20, 3),
                                  Type::varchar(), Type::bytea(),   Type::date(),   Type::timestamp(), Type::interval()};

/// Ascending values of a type, null last.
ColumnPtr samples(const Type& type) {
  ColumnBuilder b(type);
  switch (type.kind()) {
    case TypeKind::kBoolean: b.append_boolean(false), b.append_boolean(true); break;
    case TypeKind::kInt:
    case TypeKind::kDate:
      for (const int v : {INT32_MIN, -1, 0, 1, 255, 256, INT32_MAX}) b.append_int(v);
      break;
    case TypeKind::kBigint:
    case TypeKind::kTimestamp:
      for (const std::int64_t v :
           {INT64_MIN, std::int64_t{-257}, std::int64_t{-1}, std::int64_t{0}, std::int64_t{7}, INT64_MAX})
        b.append_bigint(v);
      break;
    case TypeKind::kDouble:
      for (const double v : {-static_cast<double>(INFINITY), -1e300, -1.5, -1e-300, 0.0, 1e-300, 2.0,
                             static_cast<double>(INFINITY), std::nan("")})
        b.append_double(v);
      break;
    case TypeKind::kDecimal:
      for (const int v : {-300, -1, 0, 1, 70000}) b.append_decimal(static_cast<Int128>(v) * 1'000'000'000'000);
      break;
    case TypeKind::kInterval:
      b.append_interval({-1, 0, 0}), b.append_interval({0, 0, 5}), b.append_interval({0, 1, 0}),
          b.append_interval({1, 1, 0}), b.append_interval({2, 0, 0});
      break;
    default:
      for (const std::string_view v : {std::string_view(""), std::string_view("\0", 1), std::string_view("\0\1", 2),
                                       std::string_view("\1"), std::string_view("a"), std::string_view("a\0", 2),
                                       std::string_view("a\0b", 3), std::string_view("ab"), std::string_view("b")})
        b.append_text(v);
  }
  b.append_null();
  return b.finish();
}

}  // namespace

TEST_CASE("keys sort like their values and are read back") {
  for (const Type& type : kTypes) {
    INFO(type.name());
    const ColumnPtr column = samples(type);
    EncodedKeys keys;
    keys.encode(std::vector{column}, column->size());
    ColumnBuilder back[] = {ColumnBuilder(type)};
    for (std::int64_t i = 0; i < keys.size(); ++i) {
      if (i > 0) CHECK(keys[i - 1] < keys[i]);
      decode_key(keys[i], back);
    }
    const ColumnPtr read = back[0].finish();
    for (std::int64_t i = 0; i < keys.size(); ++i) CHECK(same_value(*column, i, *read, i));
  }
}

TEST_CASE("a column of nothing but empty texts makes keys") {
  ColumnBuilder builder(Type::varchar());
  builder.append_text("");
  const ColumnPtr column = builder.finish();
  EncodedKeys keys;
  keys.encode(std::vector{column}, 1);
  ColumnBuilder back(Type::varchar());
  decode_key(keys[0], std::span(&back, 1));
  CHECK(back.finish()->text(0) == "");
}

TEST_CASE("a key of several columns sorts by the first, then the second") {
  ColumnBuilder builders[] = {ColumnBuilder(Type::varchar()), ColumnBuilder(Type::bigint()), ColumnBuilder(Type::varchar())};
  const auto add = [&](std::string_view a, std::int64_t b, std::string_view c) {
    builders[0].append_text(a), builders[1].append_bigint(b), builders[2].append_text(c);
  };
  add("a", -5, "z"), add("a", 3, ""), add("a", 3, "x"), add("ab", -9, "");
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& b : builders) columns.push_back(b.finish());
  EncodedKeys keys;
  keys.encode(columns, 4);
  for (std::int64_t i = 1; i < 4; ++i) CHECK(keys[i - 1] < keys[i]);
  for (std::int64_t i = 0; i < 4; ++i) decode_key(keys[i], builders);
  for (std::size_t c = 0; c < 3; ++c) {
    const ColumnPtr read = builders[c].finish();
    for (std::int64_t i = 0; i < 4; ++i) CHECK(same_value(*columns[c], i, *read, i));
  }
}

TEST_CASE("negative zero is zero in a key") {
  ColumnBuilder b(Type::dbl());
  b.append_double(0.0), b.append_double(-0.0);
  EncodedKeys keys;
  keys.encode(std::vector{b.finish()}, 2);
  CHECK(keys[0] == keys[1]);
}

TEST_CASE("equal intervals are one key, which is read back in one form") {
  constexpr std::int64_t kHour = 3'600'000'000;
  constexpr int kMost = INT32_MAX;
  const std::vector<std::vector<Interval>> equals = {{{1, 0, 0}, {0, 30, 0}, {0, 0, 720 * kHour}, {2, -30, 0}},
                                                     {{0, 1, 0}, {0, 0, 24 * kHour}, {1, -30, 24 * kHour}},
                                                     {{0, -1, -12 * kHour}, {0, 0, -36 * kHour}, {0, -2, 12 * kHour}},
                                                     {{0, 0, 0}, {1, -30, 0}, {0, 1, -24 * kHour}},
                                                     {{kMost, 31, 0}, {kMost, 30, 24 * kHour}},
                                                     {{-kMost - 1, -kMost - 1, INT64_MIN}}};
  for (const std::vector<Interval>& same : equals) {
    ColumnBuilder b(Type::interval());
    for (const Interval& v : same) b.append_interval(v);
    const ColumnPtr column = b.finish();
    EncodedKeys keys;
    keys.encode(std::vector{column}, column->size());
    ColumnBuilder back[] = {ColumnBuilder(Type::interval())};
    decode_key(keys[0], back);
    const Interval form = back[0].finish()->values<Interval>()[0];
    CHECK(form == same[0]);
    const ColumnPtr canonical = canonical_column(column);
    for (std::int64_t i = 0; i < column->size(); ++i) {
      CHECK(keys[i] == keys[0]);
      CHECK(same_value(*column, i, *column, 0));
      CHECK(canonical->values<Interval>()[i] == form);
    }
  }
}

TEST_CASE("what is printed as a key has one form, also inside of other values") {
  ColumnBuilder b(
      Type::row({{"list", Type::array(Type::interval())}, {"map", Type::map(Type::dbl())}, {"n", Type::integer()}}));
  b.child(0).child(0).append_interval({0, 30, 0}), b.child(0).child(0).append_null(), b.child(0).end_list();
  b.child(1).child(0).append_text("x"), b.child(1).child(1).append_double(-0.0), b.child(1).end_list();
  b.child(2).append_int(7), b.end_row();
  b.append_null();
  std::string text;
  const ColumnPtr canonical = canonical_column(b.finish());
  append_value(text, *canonical, 0), text += ' ', append_value(text, *canonical, 1);
  CHECK(text == "({1 mon,null},{x=0},7) null");
  CHECK_FALSE(has_several_forms(Type::array(Type::varchar())));
  const ColumnPtr plain = samples(Type::varchar());
  CHECK(canonical_column(plain) == plain);
}

TEST_CASE("without columns all keys are empty") {
  EncodedKeys keys;
  keys.encode(std::span<const ColumnPtr>{}, 3);
  CHECK(keys.size() == 3);
  CHECK(keys[2].empty());
}

TEST_CASE("a key of other columns is refused") {
  EncodedKeys keys;
  keys.encode(std::vector{samples(Type::bigint())}, 1);
  ColumnBuilder text[] = {ColumnBuilder(Type::varchar())};
  ColumnBuilder small[] = {ColumnBuilder(Type::integer())};
  ColumnBuilder two[] = {ColumnBuilder(Type::bigint()), ColumnBuilder(Type::bigint())};
  CHECK_THROWS_AS(decode_key(keys[0], small), Error);
  CHECK_THROWS_AS(decode_key(keys[0], two), Error);
  CHECK_THROWS_AS(decode_key(std::string_view("\1ab"), text), Error);
}

TEST_CASE("a key of several columns is taken apart into the keys of each") {
  for (const Type& type : kTypes) {
    INFO(type.name());
    const ColumnPtr column = samples(type);
    const std::int64_t rows = column->size();
    std::vector<std::int32_t> backwards;
    for (std::int64_t i = rows; i-- > 0;) backwards.push_back(static_cast<std::int32_t>(i));
    const ColumnPtr other = take(*column, backwards);
    EncodedKeys one, two, both;
    one.encode(std::vector{column}, rows);
    two.encode(std::vector{other}, rows);
    both.encode(std::vector{column, other}, rows);
    for (std::int64_t i = 0; i < rows; ++i) {
      std::string_view key = both[i];
      CHECK(take_key_part(key, type) == one[i]);
      CHECK(take_key_part(key, type) == two[i]);
      CHECK(key.empty());
      CHECK_THROWS_AS(take_key_part(key, type), Error);
      std::string_view cut = one[i].substr(0, one[i].size() - 1);
      CHECK_THROWS_AS(take_key_part(cut, type), Error);
    }
  }
}

TEST_CASE("values of all types are written and read back") {
  std::vector<Type> types = kTypes;
  types.push_back(Type::json());
  std::vector<ColumnPtr> columns;
  for (const Type& t : types) columns.push_back(samples(t));
  ColumnBuilder list(Type::array(Type::row({{"a", Type::bigint()}, {"b", Type::varchar()}})));
  for (int i = 0; i < 3; ++i) {
    list.child(0).child(0).append_bigint(i), list.child(0).child(1).append_text("x"), list.child(0).end_row();
    list.child(0).append_null();
  }
  list.end_list();
  list.end_list();
  list.append_null();
  ColumnBuilder map(Type::map(Type::dbl()));
  map.child(0).append_text("k"), map.child(1).append_double(1.5), map.end_list();
  columns.push_back(list.finish());
  columns.push_back(map.finish());
  for (const ColumnPtr& column : columns) {
    INFO(column->type().name());
    ColumnBuilder back(column->type());
    for (std::int64_t i = 0; i < column->size(); ++i) {
      std::string bytes;
      RowWriter writer(bytes, 2);
      writer.value(*column, i);
      writer.integer(-77);
      std::string_view in = bytes;
      RowReader reader(in, 2);
      reader.value(back);
      CHECK(reader.integer() == -77);
      CHECK(in.empty());
      for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
        std::string_view part = std::string_view(bytes).substr(0, cut);
        ColumnBuilder ignored(column->type());
        CHECK_THROWS_AS(
            [&] {
              RowReader r(part, 2);
              r.value(ignored);
              r.integer();
            }(),
            Error);
      }
    }
    const ColumnPtr read = back.finish();
    for (std::int64_t i = 0; i < column->size(); ++i) CHECK(same_value(*column, i, *read, i));
  }
}
