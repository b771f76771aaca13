#include "connectors/formats/changelog.h"

namespace weir {
namespace {

std::string_view text_of(RowKind kind) {
  switch (kind) {
    case RowKind::kInsert: return "+I";
    case RowKind::kUpdateBefore: return "-U";
    case RowKind::kUpdateAfter: return "+U";
    case RowKind::kDelete: return "-D";
  }
  return {};
}

}  // namespace

ConfigField changelog_field(bool takes_upserts) {
  std::string doc =
      "How changes are written; a changelog needs it. append_op: every change is a record, with a column \"op\" in front: "
      "+I, -U, +U, -D";
  if (takes_upserts)
    doc +=
        "; upsert: a record replaces the one of its key, a delete is a tombstone, -U is not written (needs a key, which "
        "must tell the rows "
        "of the result apart)";
  return field::enumeration("changelog", {"append_op", "upsert"})
      .doc(doc + ".")
      .example(takes_upserts ? "upsert" : "append_op");
}

std::optional<ChangelogForm> read_changelog(const Component& sink, const Schema& input, const Location& from,
                                            bool takes_upserts, Diagnostics& diagnostics) {
  if (!sink.config.has("changelog")) {
    if (!input.changelog() || !sink.config.ok()) return ChangelogForm::kNone;
    diagnostics.error(
        from, fmt::format("rows of this input change and go, and the sink '{}' does not say how that is written", sink.name),
        takes_upserts ? "write changelog: upsert (with a key) or changelog: append_op"
                      : "write changelog: append_op, which adds the column \"op\"");
    return std::nullopt;
  }
  const bool upsert = sink.config.text("changelog") == "upsert";
  if (upsert && !takes_upserts) {
    diagnostics.error(sink.config.location("changelog"), fmt::format("a {} sink cannot take back what it wrote", sink.type),
                      "write changelog: append_op, or upsert into Kafka");
    return std::nullopt;
  }
  return upsert ? ChangelogForm::kUpsert : ChangelogForm::kAppendOp;
}

bool put_op_first(const Component& sink, const Schema& input, std::vector<int>& columns, Diagnostics& diagnostics) {
  bool good = true;
  const auto error = [&](const Location& where, std::string text, std::string hint) {
    diagnostics.error(where, std::move(text), std::move(hint));
    good = false;
  };
  if (std::any_of(columns.begin(), columns.end(), [&](int c) { return input[c].name == "op"; }))
    error(sink.config.location("changelog"), "append_op adds a column 'op', and there is one already",
          "rename it with select before");
  if (sink.format->type == "raw")
    error(sink.format->location, "format raw has no place for the column 'op'", "write format: json");
  columns.insert(columns.begin(), input.size());
  return good;
}

SchemaPtr with_op(const Schema& input) {
  std::vector<Field> fields = input.fields();
  fields.push_back({"op", Type::varchar(), false});
  return std::make_shared<const Schema>(std::move(fields));
}

BatchPtr with_op(const RecordBatch& batch, SchemaPtr schema) {
  ColumnBuilder op(Type::varchar());
  op.reserve(batch.rows());
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch.rows()); ++i) op.append_text(text_of(kind_of(batch, i)));
  std::vector<ColumnPtr> columns = batch.columns();
  columns.push_back(op.finish());
  return std::make_shared<const RecordBatch>(std::move(schema), std::move(columns), batch.rows());
}

}  // namespace weir
