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
  /// The headers of a row; null if the sink writes none.
  HeadersPtr headers(std::int64_t row);

 private:
  void pass_on(rd_kafka_headers_t* out, std::int64_t row) const;

  const KafkaSinkSettings& settings_;
  std::vector<ColumnPtr> columns_;  ///< of settings_.headers
  ColumnPtr passed_;
  std::string scratch_;
};

}  // namespace weir
