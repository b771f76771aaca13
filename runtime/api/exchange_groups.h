#pragma once
#include <vector>

#include "runtime/api/operator.h"

namespace weir {

/// The key group of each row of a batch, by which a kHash exchange deals it to a task. A row for which a part of the key
/// fails gets any: its receiver finds the error again.
void exchange_groups(const Exchange& exchange, const RecordBatch& batch, std::vector<std::uint8_t>& groups);

}  // namespace weir
