#include "runtime/data/record_batch.h"

#include <catch2/catch.hpp>

#include "tests/runtime/data/samples.h"

namespace weir {

namespace {

BatchPtr changes() {
  auto schema = std::make_shared<Schema>(std::vector<Field>{{"a", Type::bigint()}, {"s", Type::varchar()}});
  schema->set_changelog(true);
  return std::make_shared<RecordBatch>(
      schema, std::vector{test::sample(Type::bigint(), 4), test::sample(Type::varchar(), 4)}, 4,
      std::vector{RowKind::kInsert, RowKind::kUpdateBefore, RowKind::kUpdateAfter, RowKind::kDelete});
}

}  // namespace

TEST_CASE("rows of a batch are taken with their kinds") {
  const BatchPtr batch = changes();
  const std::vector<std::int32_t> rows{3, 0, 3};
  const BatchPtr taken = take(*batch, rows);
  CHECK(taken->rows() == 3);
  CHECK(taken->schema() == batch->schema());
  CHECK(std::vector(taken->kinds().begin(), taken->kinds().end()) ==
        std::vector{RowKind::kDelete, RowKind::kInsert, RowKind::kDelete});
  for (int c = 0; c < 2; ++c) CHECK(same_value(taken->column(c), 1, batch->column(c), 0));
  const BatchPtr cut = slice(*batch, 1, 2);
  CHECK(cut->rows() == 2);
  CHECK(cut->kinds()[0] == RowKind::kUpdateBefore);
  CHECK(same_value(cut->column(1), 1, batch->column(1), 2));
}

TEST_CASE("a batch under another schema shares its columns") {
  const BatchPtr batch = changes();
  auto renamed = std::make_shared<Schema>(std::vector<Field>{{"b", Type::bigint()}, {"t", Type::varchar()}});
  const BatchPtr other = with_schema(*batch, renamed);
  CHECK(other->schema()->find("t") == 1);
  CHECK(other->columns() == batch->columns());
  CHECK(other->kinds().size() == 4);
  CHECK(batch->bytes() == batch->column(0).bytes() + batch->column(1).bytes() + 4);
}

}  // namespace weir
