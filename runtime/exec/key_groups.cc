#include "runtime/exec/key_groups.h"

namespace weir {

void key_groups(const RecordBatch& batch, std::span<const int> columns, std::vector<std::uint8_t>& groups) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(batch.rows()), 0);
  for (const int c : columns) combine_hashes(batch.column(c), hashes);
  groups.resize(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) groups[i] = key_group(hashes[i]);
}

}  // namespace weir
