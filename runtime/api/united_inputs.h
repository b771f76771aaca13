#pragma once
#include <vector>

#include "runtime/api/component.h"
#include "runtime/data/record_batch.h"

namespace weir {

/// The schema under which a step or sink reads several inputs as one stream (`from: [a, b]`). Their columns must have the
/// same names and types in the same order; if not, that is reported at each input that differs from the first, and null
/// returned.
///
/// A column may be null if it may in one of them. The event time stays where all have it in the same column. The result is
/// a changelog if one of them is; that of several inputs has no key.
SchemaPtr unite(const std::vector<BoundInput>& inputs, Diagnostics& diagnostics);

/// The batch of one of the inputs under the united schema. Shares the columns; the same batch where the schema is the same.
BatchPtr conform(BatchPtr batch, const SchemaPtr& united);

}  // namespace weir
