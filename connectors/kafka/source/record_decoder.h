#pragma once
#include <librdkafka/rdkafka.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "connectors/kafka/source/source_settings.h"

namespace weir {

/// Turns records of one partition into a batch of the source's schema. Belongs to one task; not thread-safe.
class RecordDecoder {
 public:
  explicit RecordDecoder(KafkaSourceSettingsPtr settings);

  /// The rows of the records (all of `topic` and one partition, none an error), null if there are none. A record without a
  /// row follows the source's on_error: weir::Error (data) that names topic, partition and offset; or counted in bad(), and
  /// with emit appended to `errors`. Tombstones follow `tombstone`.
  BatchPtr decode(std::string_view topic, std::span<rd_kafka_message_t* const> records, ErrorBatchBuilder& errors);

  /// The record of the last decode that row `row` was made from.
  std::size_t record_of(std::int64_t row) const {
    return all_rows_ ? static_cast<std::size_t>(row) : rows_[static_cast<std::size_t>(row)];
  }
  /// A record for an errors stream, without reason and step.
  static ErrorRow describe(const rd_kafka_message_t& record, std::string_view topic);

  /// Records of the last decode that followed on_error skip or emit.
  std::size_t bad() const { return bad_.size(); }

 private:
  /// Why a record gives no row; `record` is its index.
  struct Bad {
    std::size_t record;
    std::string reason;
  };

  void decode_values(std::span<rd_kafka_message_t* const> records);
  void decode_run(std::size_t first);
  bool take_tombstone(std::size_t record);
  void refuse(std::string_view topic, std::span<rd_kafka_message_t* const> records, ErrorBatchBuilder& errors);
  void list_rows(std::size_t records);
  void append_metadata(RecordField field, std::string_view topic, std::span<rd_kafka_message_t* const> records,
                       ColumnBuilder& column);

  KafkaSourceSettingsPtr settings_;
  std::unique_ptr<RowDecoder> format_;
  std::vector<ColumnBuilder> columns_;    ///< value columns, then metadata
  std::vector<std::string_view> values_;  ///< the run of records being decoded
  std::vector<DecodeError> run_errors_;
  std::vector<Bad> bad_;                  ///< by rising record
  std::vector<std::size_t> without_row_;  ///< records that give no row and are no errors: tombstones left out
  std::vector<std::size_t> rows_;         ///< the record of each row; only filled when not all_rows_
  bool all_rows_ = true;                  ///< row i is record i
};

}  // namespace weir
