#pragma once
#include <optional>

#include "runtime/api/component.h"

namespace weir {

/// How a sink writes the changes of a changelog. Rows of an append-only stream are all +I.
enum class ChangelogForm {
  kNone,      ///< it takes no changelog
  kAppendOp,  ///< every change is a record with a column `op`: +I, -U, +U, -D
  kUpsert,    ///< +I and +U are records that replace that of their key, what is gone is a tombstone
};

/// The key `changelog` of a sink; not every sink takes upserts.
ConfigField changelog_field(bool takes_upserts);

/// Reads `changelog`. Reports, at `from`, a changelog for which it is not written, and a form that the sink cannot write;
/// then nothing.
std::optional<ChangelogForm> read_changelog(const Component& sink, const Schema& input, const Location& from,
                                            bool takes_upserts, Diagnostics& diagnostics);

/// The columns that append_op writes: `op`, which is the column behind the input's, before the others. Reports an `op` that
/// is there already, and a format with no place for it; then false.
bool put_op_first(const Component& sink, const Schema& input, std::vector<int>& columns, Diagnostics& diagnostics);
/// The input's columns and `op`.
SchemaPtr with_op(const Schema& input);
/// The batch with its row kinds as the column `op`; `schema` is what with_op made of that of the input.
BatchPtr with_op(const RecordBatch& batch, SchemaPtr schema);

/// The kind of a row, also of an append-only stream.
inline RowKind kind_of(const RecordBatch& batch, std::size_t row) {
  return batch.kinds().empty() ? RowKind::kInsert : batch.kinds()[row];
}

}  // namespace weir
