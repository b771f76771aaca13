#include "runtime/data/column.h"

#include <catch2/catch.hpp>
#include <limits>

#include "runtime/base/error.h"
#include "tests/runtime/data/samples.h"

namespace weir {

using test::append_sample;
using test::every_type;
using test::sample;
using test::text_of;

namespace {

/// Row i of a and row j of b hold the same value, say all that can tell.
void check_same(const Column& a, std::int64_t i, const Column& b, std::int64_t j) {
  CHECK(same_value(a, i, b, j));
  CHECK(text_of(a, i) == text_of(b, j));
}

/// The lengths that Arrow's layout asks for.
void check_layout(const Column& c) {
  INFO(c.type().name());
  std::int64_t nulls = 0;
  for (std::int64_t i = 0; i < c.size(); ++i) nulls += !c.valid(i);
  CHECK(nulls == c.null_count());
  CHECK((c.validity() == nullptr) == (nulls == 0));
  const TypeKind kind = c.type().kind();
  if (c.type().is_binary() || kind == TypeKind::kArray || kind == TypeKind::kMap) {
    CHECK(c.offsets()[0] == 0);
    for (std::int64_t i = 0; i < c.size(); ++i) {
      CHECK(c.offsets()[i] <= c.offsets()[i + 1]);
      if (!c.valid(i)) CHECK(c.offsets()[i] == c.offsets()[i + 1]);
    }
  }
  for (const ColumnPtr& child : c.children()) {
    CHECK(child->size() == (kind == TypeKind::kRow ? c.size() : c.offsets()[c.size()]));
    check_layout(*child);
  }
}

}  // namespace

TEST_CASE("what is appended can be read again, for every type") {
  ColumnBuilder b(Type::bigint()), t(Type::varchar()), o(Type::boolean());
  b.append_bigint(5), b.append_null(), b.append_bigint(-1);
  t.append_text("a"), t.append_text(""), t.append_null(), t.append_text("bc");
  for (int i = 0; i < 20; ++i) i % 5 == 1 ? o.append_null() : o.append_boolean(i % 3 == 0);
  const ColumnPtr bigint = b.finish(), text = t.finish(), boolean = o.finish();
  CHECK(bigint->values<std::int64_t>()[0] == 5);
  CHECK(!bigint->valid(1));
  CHECK(bigint->null_count() == 1);
  CHECK(text->text(0) == "a");
  CHECK(text->text(1).empty());
  CHECK(text->valid(1));
  CHECK(!text->valid(2));
  CHECK(text->text(3) == "bc");
  for (int i = 0; i < 20; ++i) {
    CHECK(boolean->valid(i) == (i % 5 != 1));
    if (i % 5 != 1) CHECK(boolean->boolean(i) == (i % 3 == 0));
  }
  for (const Type& type : every_type()) check_layout(*sample(type, 50));
}

TEST_CASE("a column without nulls has no validity bitmap") {
  ColumnBuilder b(Type::integer());
  b.append_int(1), b.append_int(2);
  const ColumnPtr column = b.finish();
  CHECK(column->validity() == nullptr);
  CHECK(column->null_count() == 0);
  b.append_null();
  b.pop();
  b.append_int(3);
  CHECK(b.finish()->validity() == nullptr);
}

TEST_CASE("a finished builder is empty and can be used again") {
  for (const Type& type : every_type()) {
    INFO(type.name());
    ColumnBuilder b(type);
    for (int n = 0; n < 10; ++n) append_sample(b, n);
    const ColumnPtr first = b.finish();
    CHECK(b.size() == 0);
    for (int n = 0; n < 5; ++n) append_sample(b, n);
    const ColumnPtr second = b.finish();
    CHECK(first->size() == 10);
    CHECK(second->size() == 5);
    check_layout(*second);
    for (int n = 0; n < 5; ++n) check_same(*first, n, *second, n);
    CHECK(b.finish()->size() == 0);
  }
}

TEST_CASE("take picks rows in any order, more than once, and slice a run of them") {
  for (const Type& type : every_type()) {
    const ColumnPtr column = sample(type, 60);
    std::vector<std::int32_t> rows;
    for (int i = 0; i < 50; ++i) rows.push_back(i * 37 % 60);
    for (int i = 0; i < 50; ++i) rows.push_back(i + i / 7);  // runs of neighbours
    const ColumnPtr taken = take(*column, rows), cut = slice(*column, 13, 29), none = slice(*column, 5, 0);
    CHECK(taken->type() == type);
    CHECK(taken->size() == 100);
    check_layout(*taken);
    check_layout(*cut);
    for (int i = 0; i < 100; ++i) check_same(*taken, i, *column, rows[static_cast<std::size_t>(i)]);
    CHECK(cut->size() == 29);
    for (int i = 0; i < 29; ++i) check_same(*cut, i, *column, 13 + i);
    CHECK(none->size() == 0);
    const std::vector<std::int32_t> valid{0, 1, 2};  // sample 3 is the first null
    if (type.children().empty()) CHECK(take(*column, valid)->validity() == nullptr);
  }
}

TEST_CASE("append_from copies single values between columns") {
  for (const Type& type : every_type()) {
    const ColumnPtr column = sample(type, 40);
    ColumnBuilder b(type);
    for (int i = 39; i >= 0; --i) b.append_from(*column, i);
    const ColumnPtr turned = b.finish();
    check_layout(*turned);
    for (int i = 0; i < 40; ++i) check_same(*turned, i, *column, 39 - i);
  }
}

TEST_CASE("pop takes the last value away with everything in it") {
  for (const Type& type : every_type()) {
    INFO(type.name());
    const ColumnPtr wanted = sample(type, 30);
    ColumnBuilder b(type);
    for (int n = 0; n < 30; ++n) {
      append_sample(b, n + 3);  // begins with a null
      append_sample(b, n + 5);
      b.pop();
      b.pop();
      append_sample(b, n);
    }
    CHECK(b.size() == 30);
    const ColumnPtr column = b.finish();
    check_layout(*column);
    for (int n = 0; n < 30; ++n) check_same(*column, n, *wanted, n);
  }
}

TEST_CASE("pop down to nothing and starting again gives the same column") {
  for (const Type& type : every_type()) {
    ColumnBuilder b(type);
    for (int n = 0; n < 12; ++n) append_sample(b, n);
    while (b.size()) b.pop();
    for (int n = 0; n < 12; ++n) append_sample(b, n);
    const ColumnPtr column = b.finish(), wanted = sample(type, 12);
    check_layout(*column);
    for (int n = 0; n < 12; ++n) check_same(*column, n, *wanted, n);
  }
}

TEST_CASE("a column of nulls is null everywhere, in its rows' members too") {
  for (const Type& type : every_type()) {
    const ColumnPtr column = null_column(type, 11);
    CHECK(column->size() == 11);
    CHECK(column->null_count() == 11);
    check_layout(*column);
    for (int i = 0; i < 11; ++i) CHECK(text_of(*column, i) == "null");
  }
}

TEST_CASE("text can be written in place") {
  ColumnBuilder b(Type::varchar());
  b.append_text("x");
  b.text_buffer().append("ab", 2);
  b.text_buffer().append("c", 1);
  b.end_text();
  b.end_text();
  const ColumnPtr column = b.finish();
  CHECK(column->text(1) == "abc");
  CHECK(column->text(2).empty());
}

TEST_CASE("values are the same when both are null, or equal; NaN equals NaN and zero its negative") {
  ColumnBuilder b(Type::dbl());
  b.append_double(std::numeric_limits<double>::quiet_NaN()), b.append_double(-std::numeric_limits<double>::quiet_NaN());
  b.append_double(0.0), b.append_double(-0.0), b.append_null(), b.append_double(1);
  const ColumnPtr c = b.finish();
  CHECK(same_value(*c, 0, *c, 1));
  CHECK(same_value(*c, 2, *c, 3));
  CHECK(same_value(*c, 4, *c, 4));
  CHECK(!same_value(*c, 4, *c, 2));
  CHECK(!same_value(*c, 2, *c, 5));
  CHECK(!same_value(*c, 0, *c, 5));
  for (const Type& type : every_type()) {
    const ColumnPtr s = sample(type, 30);
    for (int i = 0; i < 30; ++i)
      for (int j = 0; j < 30; ++j)
        if (same_value(*s, i, *s, j) != (text_of(*s, i) == text_of(*s, j)))
          FAIL(type.name() << " " << text_of(*s, i) << " " << text_of(*s, j));
  }
}

TEST_CASE("a column of text refuses to grow beyond what its offsets can count") {
  ColumnBuilder b(Type::bytea());
  const std::string mebibyte(1 << 20, 'x');
  b.append_text(mebibyte);
  CHECK_THROWS_AS(b.append_text({mebibyte.data(), 0x7fffffff}), Error);  // refused before a byte is read
  CHECK(b.size() == 1);
}

TEST_CASE("memory is counted with all buffers and children") {
  CHECK(sample(Type::bigint(), 3)->bytes() == 24);
  const ColumnPtr text = sample(Type::varchar(), 3);
  CHECK(text->bytes() == 16 + 3);
  CHECK(sample(Type::row({{"a", Type::bigint()}}), 3)->bytes() == 24);
}

}  // namespace weir
