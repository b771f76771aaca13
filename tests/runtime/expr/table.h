#pragma once
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "runtime/data/record_batch.h"
#include "runtime/expr/expression.h"
#include "runtime/expr/text/parse_value.h"

namespace weir::test {

using Texts = std::vector<std::string>;

/// Columns from `a int, b varchar not null`.
inline Schema schema_of(std::string_view text) {
  Field row{"", Type::boolean()};
  const auto error = parse_type("row(" + std::string(text) + ")", row);
  INFO(text);
  REQUIRE(!error);
  return Schema(row.type.children());
}

/// A batch whose rows are given as texts, `null` being null.
inline BatchPtr table(std::string_view schema, const std::vector<Texts>& rows) {
  auto s = std::make_shared<Schema>(schema_of(schema));
  std::vector<ColumnPtr> columns;
  for (int c = 0; c < s->size(); ++c) {
    ColumnBuilder b((*s)[c].type);
    for (const Texts& row : rows) {
      const std::string& text = row.at(static_cast<std::size_t>(c));
      if (text == "null") {
        b.append_null();
      } else {
        const auto reason = append_parsed(b, text);
        INFO(text);
        REQUIRE(!reason);
      }
    }
    columns.push_back(b.finish());
  }
  return std::make_shared<RecordBatch>(s, columns, static_cast<std::int64_t>(rows.size()));
}

inline EvaluationContext context_at(std::int64_t now_micros = 1'709'210'096'789'000) { return {{now_micros}, 7, 0}; }

inline ExpressionPtr compiled(std::string_view text, const Schema& schema) {
  std::vector<ExpressionError> errors;
  auto e = Expression::compile(text, schema, errors);
  for (const auto& x : errors) UNSCOPED_INFO(text << " @" << x.offset << ": " << x.text << " (" << x.hint << ")");
  REQUIRE(e);
  REQUIRE(errors.empty());
  return e;
}

/// What an expression gives for the selected rows: a value's text, or `error: REASON`.
inline Texts run(const Expression& e, const RecordBatch& batch, const std::vector<std::int32_t>* selection) {
  std::vector<RowError> errors;
  const ColumnPtr column = e.evaluate(batch, selection, context_at(), errors);
  REQUIRE(column->type() == e.type());
  const std::int64_t rows = selection ? static_cast<std::int64_t>(selection->size()) : batch.rows();
  REQUIRE(column->size() == rows);
  std::int64_t nulls = 0;
  Texts out;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto row = static_cast<std::int32_t>(selection ? (*selection)[static_cast<std::size_t>(i)] : i);
    const auto failed = std::find_if(errors.begin(), errors.end(), [&](const RowError& x) { return x.row == row; });
    nulls += !column->valid(i);
    if (failed != errors.end()) {
      out.push_back("error: " + failed->reason);
      continue;
    }
    if (!e.nullable()) REQUIRE(column->valid(i));
    std::string text;
    append_value(text, *column, i);
    out.push_back(text);
  }
  REQUIRE(column->null_count() == nulls);
  REQUIRE(std::is_sorted(errors.begin(), errors.end(), [](const RowError& a, const RowError& b) { return a.row < b.row; }));
  return out;
}

/// Runs it over all rows, and checks that rows alone, every other row, an empty selection, and filter agree.
inline Texts values_of(std::string_view text, const BatchPtr& batch) {
  const ExpressionPtr e = compiled(text, *batch->schema());
  INFO(text);
  const Texts all = run(*e, *batch, nullptr);
  std::vector<std::int32_t> some;
  Texts expected;
  for (std::int32_t i = 0; i < batch->rows(); ++i) {
    const std::vector<std::int32_t> one{i};
    CHECK(run(*e, *batch, &one) == Texts{all[static_cast<std::size_t>(i)]});
    CHECK(run(*e, *slice(*batch, i, 1), nullptr) == Texts{all[static_cast<std::size_t>(i)]});
    if (i % 2) some.push_back(i), expected.push_back(all[static_cast<std::size_t>(i)]);
  }
  CHECK(run(*e, *batch, &some) == expected);
  CHECK(run(*e, *slice(*batch, 0, 0), nullptr).empty());
  if (e->type().kind() == TypeKind::kBoolean)
    for (const auto* selection :
         {static_cast<const std::vector<std::int32_t>*>(nullptr), static_cast<const std::vector<std::int32_t>*>(&some)}) {
      std::vector<RowError> errors;
      std::vector<std::int32_t> rows, wanted;
      e->filter(*batch, selection, context_at(), rows, errors);
      for (std::int32_t i = 0; i < batch->rows(); ++i)
        if (all[static_cast<std::size_t>(i)] == "t" && (!selection || i % 2)) wanted.push_back(i);
      CHECK(rows == wanted);
    }
  return all;
}

/// The value of an expression without columns, over one row.
inline std::string value_of(std::string_view text) {
  static const BatchPtr one = table("dummy int", {{"1"}});
  return values_of(text, one).at(0);
}

inline std::string type_of(std::string_view text, std::string_view schema = "dummy int") {
  return compiled(text, schema_of(schema))->type().name();
}

/// The errors of an expression that is refused, as `OFFSET: TEXT` or `OFFSET: TEXT (HINT)`.
inline Texts refusals(std::string_view text,
                      std::string_view schema = "price double, quantity int, name varchar, at timestamp") {
  std::vector<ExpressionError> errors;
  const ExpressionPtr e = Expression::compile(text, schema_of(schema), errors);
  INFO(text);
  CHECK(!e);
  CHECK(!errors.empty());
  Texts out;
  for (const ExpressionError& x : errors) {
    CHECK(x.offset <= text.size());
    out.push_back(std::to_string(x.offset) + ": " + x.text + (x.hint.empty() ? "" : " (" + x.hint + ")"));
  }
  return out;
}

}  // namespace weir::test
