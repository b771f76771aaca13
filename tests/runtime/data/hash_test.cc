#include <catch2/catch.hpp>
#include <limits>
#include <set>

#include "tests/runtime/data/samples.h"

namespace weir {

namespace {

std::vector<std::uint64_t> hashes(const Column& column, std::uint64_t seed = 0) {
  std::vector<std::uint64_t> h(static_cast<std::size_t>(column.size()), seed);
  combine_hashes(column, h);
  return h;
}

}  // namespace

TEST_CASE("equal values hash alike wherever they stand, different ones differently") {
  for (const Type& type : test::every_type()) {
    INFO(type.name());
    const ColumnPtr c = test::sample(type, 40);
    ColumnBuilder b(type);
    for (int i = 39; i >= 0; --i) b.append_from(*c, i);
    const ColumnPtr turned = b.finish();
    const auto h = hashes(*c), t = hashes(*turned);
    for (std::size_t i = 0; i < 40; ++i) CHECK(h[i] == t[39 - i]);
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t j = 0; j < 40; ++j)
        CHECK((h[i] == h[j]) == same_value(*c, static_cast<std::int64_t>(i), *c, static_cast<std::int64_t>(j)));
  }
}

TEST_CASE("values that compare equal hash alike") {
  ColumnBuilder d(Type::dbl()), i(Type::integer()), l(Type::bigint());
  d.append_double(0.0), d.append_double(-0.0);
  d.append_double(std::numeric_limits<double>::quiet_NaN()), d.append_double(-std::numeric_limits<double>::quiet_NaN());
  i.append_int(-7), l.append_bigint(-7);
  const auto h = hashes(*d.finish());
  CHECK(h[0] == h[1]);
  CHECK(h[2] == h[3]);
  CHECK(hashes(*i.finish()) == hashes(*l.finish()));
}

TEST_CASE("null has a hash of its own, and columns combine in order") {
  const ColumnPtr nulls = null_column(Type::bigint(), 1);
  ColumnBuilder zero(Type::bigint()), empty(Type::varchar());
  zero.append_bigint(0), empty.append_text("");
  const ColumnPtr z = zero.finish(), e = empty.finish();
  CHECK(hashes(*nulls)[0] != hashes(*z)[0]);
  CHECK(hashes(*nulls)[0] != hashes(*e)[0]);
  CHECK(hashes(*z, hashes(*e)[0]) != hashes(*e, hashes(*z)[0]));
}

// These values are part of the checkpoint format: they decide which task owns a key. They must never change.
TEST_CASE("hashes are fixed for ever") {
  struct Fixed {
    Type type;
    std::uint64_t hash;  ///< of samples 0 to 9, one on top of the other
  };
  const Type row = Type::row({{"a", Type::bigint()}, {"s", Type::varchar()}});
  const Fixed kFixed[] = {{Type::boolean(), 0x52216e6718937e16},
                          {Type::integer(), 0x0fb2c07ab6c11c7d},
                          {Type::bigint(), 0xdab3df8f129d2a75},
                          {Type::dbl(), 0x32215ddc81efd7b7},
                          {Type::decimal(38, 5), 0xe7920c20a5e7f3ce},
                          {Type::varchar(), 0x8ace8fe26ecda08f},
                          {Type::bytea(), 0x8ace8fe26ecda08f},
                          {Type::date(), 0x0fb2c07ab6c11c7d},
                          {Type::timestamp(), 0xdab3df8f129d2a75},
                          {Type::interval(), 0x9bd43bc7b4be4125},
                          {Type::json(), 0x8ace8fe26ecda08f},
                          {row, 0x182058f6b6b4e5a6},
                          {Type::array(Type::varchar()), 0x9e368070ed519de1},
                          {Type::map(Type::dbl()), 0xebe6596463135565}};
  for (const Fixed& f : kFixed) {
    INFO(f.type.name());
    const ColumnPtr c = test::sample(f.type, 10);
    std::uint64_t h = 0;
    for (int i = 0; i < 10; ++i) h = hashes(*slice(*c, i, 1), h)[0];
    CHECK(h == f.hash);
  }
  ColumnBuilder b(Type::varchar());
  b.append_text("");
  b.append_text("customer-17");
  CHECK(hashes(*b.finish()) == std::vector<std::uint64_t>{0x2d06800538d394c2, 0xf22fd48ec1e6739c});
}

}  // namespace weir
