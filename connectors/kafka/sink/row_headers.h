#pragma once
#include <librdkafka/rdkafka.h>

#include <memory>
#include <string>
#include <vector>

#include "connectors/kafka/client/handles.h"
#include "connectors/kafka/sink/sink_settings.h"

namespace weir {

using HeadersPtr = std::unique_ptr<rd_kafka_headers_t, DestroyHandle<rd_kafka_headers_destroy>>;

/// Makes the headers of rows. Belongs to one task.
class HeaderWriter {
 public:
  explicit HeaderWriter(const KafkaSinkSettings& settings) : settings_(settings) {}

  /// Takes the batch whose rows are asked for next. Rows for which an expression fails are appended to `errors`.
  void begin(const RecordBatch& batch, const EvaluationContext& context, std::vector<RowError>& errors);
  /// The bytes that the headers of each row take in its record, at most.
  std::vector<std::int64_t> sizes(std::int64_t rows);
  /// The headers of a row; null if the sink writes none.
  HeadersPtr headers(std::int64_t row);

 private:
  /// Calls take(name, value) for the headers of a row in order; `value` is null where the header's is.
  template <typename Take>
  void visit(std::int64_t row, Take take);
  template <typename Take>
  void visit_passed(std::int64_t row, Take take) const;

  const KafkaSinkSettings& settings_;
  std::vector<ColumnPtr> columns_;  ///< of settings_.headers
  ColumnPtr passed_;
  std::string scratch_;
};

}  // namespace weir
