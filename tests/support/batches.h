#pragma once
#include <string>
#include <vector>

#include "runtime/data/record_batch.h"

namespace weir {

/// A schema from text: `id bigint not null, at timestamp, _offset bigint`. Names that begin with `_` are metadata;
/// `event_time` names a column.
SchemaPtr schema_of(const std::string& columns, const std::string& event_time = {});

/// Rows from text: values separated by `|`, in the form of append_value (`null`, `12`, `t`, `0.5`, `abc`). Timestamps and
/// dates are numbers of microseconds and days.
BatchPtr batch_of(const SchemaPtr& schema, const std::vector<std::string>& rows);
/// The same with row kinds; the schema is a changelog.
BatchPtr batch_of(const SchemaPtr& schema, const std::vector<std::string>& rows, std::vector<RowKind> kinds);

/// Each row as compact JSON; rows of a changelog begin with `+I `, `-U `, `+U `, `-D `.
std::vector<std::string> rows_of(const RecordBatch& batch);

}  // namespace weir
