#pragma once
#include <string_view>
#include <vector>

#include "connectors/kafka/sink/sink_settings.h"
#include "runtime/data/buffer.h"
#include "runtime/data/record_batch.h"

namespace weir {

/// Texts and bytes of the rows of a batch; data() == nullptr is null, which is not empty.
using RowBytes = std::vector<std::string_view>;

/// A view that is never null, also of nothing.
inline std::string_view not_null(std::string_view bytes) { return bytes.data() ? bytes : std::string_view("", 0); }

/// Makes the keys of rows. Belongs to one task.
class KeyWriter {
 public:
  explicit KeyWriter(const KeyPlan& plan);

  /// One key per row, valid until the next call or until the batch is gone. Rows for which the expression fails are appended
  /// to `errors`.
  const RowBytes& write(const RecordBatch& batch, const EvaluationContext& context, std::vector<RowError>& errors);

 private:
  static BatchPtr in_one_form(const RecordBatch& batch);
  void write_column(const Column& column);
  void write_texts(const Column& column);

  const KeyPlan& plan_;
  std::unique_ptr<RowEncoder> object_;
  RowBytes keys_;
  ColumnPtr evaluated_;
  Buffer bytes_;
  std::vector<std::size_t> ends_;
  std::string scratch_;
};

}  // namespace weir
