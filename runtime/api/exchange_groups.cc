#include "runtime/api/exchange_groups.h"

#include "runtime/state/row_codec.h"

namespace weir {

void exchange_groups(const Exchange& exchange, const RecordBatch& batch, std::vector<std::uint8_t>& groups) {
  if (exchange.keys.empty()) return key_groups(batch, exchange.columns, groups);
  std::vector<ColumnPtr> parts;
  std::vector<RowError> ignored;
  for (const ExpressionPtr& key : exchange.keys) parts.push_back(key->evaluate(batch, nullptr, {}, ignored));
  EncodedKeys keys;
  keys.encode(parts, batch.rows());
  key_groups(keys, groups);
}

}  // namespace weir
