#include "runtime/state/row_codec.h"

#include "runtime/base/error.h"

namespace weir {

void key_hashes(const EncodedKeys& keys, std::vector<std::uint64_t>& hashes) {
  hashes.resize(static_cast<std::size_t>(keys.size()));
  for (std::int64_t i = 0; i < keys.size(); ++i) hashes[static_cast<std::size_t>(i)] = key_hash(keys[i]);
}

void key_groups(const RecordBatch& batch, std::span<const int> columns, std::vector<std::uint8_t>& groups) {
  EncodedKeys keys;
  keys.encode(batch, columns);
  key_groups(keys, groups);
}

void key_groups(const EncodedKeys& keys, std::vector<std::uint8_t>& groups) {
  groups.resize(static_cast<std::size_t>(keys.size()));
  for (std::int64_t i = 0; i < keys.size(); ++i) groups[static_cast<std::size_t>(i)] = key_group(key_hash(keys[i]));
}

void encode_row(std::span<const ColumnPtr> columns, std::int64_t i, std::string& out) {
  RowWriter writer(out, columns.size());
  for (const ColumnPtr& column : columns) writer.value(*column, i);
}

void decode_row(std::string_view value, std::span<ColumnBuilder> builders) {
  RowReader reader(value, builders.size());
  for (ColumnBuilder& builder : builders) reader.value(builder);
  if (!value.empty()) throw Error(Blame::kRefused, "a value of the state cannot be read: it was written with other columns");
}

std::string window_name(std::int64_t micros) {
  std::string name(9, '\1');
  const std::uint64_t bits = __builtin_bswap64(static_cast<std::uint64_t>(micros) ^ std::uint64_t{1} << 63);
  std::memcpy(name.data() + 1, &bits, 8);
  return name;
}

std::int64_t window_time(std::string_view name) {
  if (name.size() != 9 || name[0] != '\1')
    throw Error(Blame::kRefused, "the name of a window in the state cannot be read: it was written with other columns");
  std::uint64_t bits;
  std::memcpy(&bits, name.data() + 1, 8);
  return static_cast<std::int64_t>(__builtin_bswap64(bits) ^ std::uint64_t{1} << 63);
}

}  // namespace weir
