#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connectors/formats/decoder.h"
#include "runtime/data/record_batch.h"

namespace weir::test {

/// A schema from names and types as written in a pipeline file: `{{"id", "bigint not null"}, {"tags", "array(varchar)"}}`.
Schema schema_of(const std::vector<std::pair<std::string, std::string>>& columns);

/// What came of a few records.
struct Decoded {
  std::vector<std::string> rows;    ///< each as a JSON object of all columns, in order
  std::vector<std::string> errors;  ///< `3: reason`, the number that of the record
  std::vector<ColumnPtr> columns;
};
Decoded decode(RowDecoder& decoder, const Schema& schema, const std::vector<std::string>& records);

}  // namespace weir::test
