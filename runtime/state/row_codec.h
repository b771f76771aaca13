#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/data/key_codec.h"
#include "runtime/data/row_values.h"
#include "runtime/state/key_group.h"

namespace weir {

/// How rows of state tables are written: windows' names and keys by EncodedKeys (runtime/data/key_codec.h), values by
/// RowWriter (runtime/data/row_values.h), all with the fields of the table's declaration. So they can be read without the
/// step.

/// The hash of each key, which decides the task that owns it.
void key_hashes(const EncodedKeys& keys, std::vector<std::uint64_t>& hashes);
void key_groups(const EncodedKeys& keys, std::vector<std::uint8_t>& groups);
/// The key group of each row: that of its key made of the columns. With no columns all rows have one group.
void key_groups(const RecordBatch& batch, std::span<const int> columns, std::vector<std::uint8_t>& groups);

/// Appends row i of the columns as a value.
void encode_row(std::span<const ColumnPtr> columns, std::int64_t i, std::string& out);
/// Appends the fields of a value to `builders`, which say its types. Throws Error(kRefused) if the bytes are something else.
void decode_row(std::string_view value, std::span<ColumnBuilder> builders);

/// A window's name that is one timestamp, nine bytes that sort by time; and back (throws Error(kRefused)).
std::string window_name(std::int64_t micros);
std::int64_t window_time(std::string_view name);

}  // namespace weir
