#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connectors/formats/changelog.h"
#include "connectors/formats/encoder.h"
#include "connectors/kafka/client/cluster.h"
#include "connectors/kafka/sink/producer.h"
#include "runtime/api/component.h"

namespace weir {

/// What the key of a record is made of.
struct KeyPlan {
  enum class Kind {
    kNone,   ///< null
    kBytes,  ///< a text or bytea as it is; other types as PostgreSQL prints them
    kJson,   ///< one value as JSON
    kObject  ///< several columns as one JSON object
  };
  Kind kind = Kind::kNone;
  int column = -1;                               ///< kBytes, kJson: of the input, unless there is an expression
  ExpressionPtr expression;                      ///< kBytes, kJson
  std::shared_ptr<const EncoderFactory> object;  ///< kObject
};

/// A header of every record: a text or bytea as it is, other types as PostgreSQL prints them.
struct HeaderPlan {
  std::string name;
  int column = -1;  ///< of the input, unless there is an expression
  ExpressionPtr expression;
};

/// What a sink of type kafka does, as the file says it. Immutable, shared by its operators.
struct KafkaSinkSettings {
  std::string name;
  ClusterPtr cluster;
  SchemaPtr input;
  std::vector<std::string> topics;  ///< the topic, or those that the expression may name
  ExpressionPtr topic;              ///< null: topics[0]
  KeyPlan key;
  std::shared_ptr<const EncoderFactory> format;  ///< null: raw, the bytes of raw_column
  int raw_column = -1;
  ChangelogForm changelog = ChangelogForm::kNone;
  SchemaPtr with_op;  ///< kAppendOp: what `format` takes
  std::vector<HeaderPlan> headers;
  int passed_headers = -1;  ///< column with all headers (`headers: _headers`), or -1
  ExpressionPtr timestamp;  ///< timestamp or epoch milliseconds; null: the event time of the row up to now, else now
  ExpressionPtr partition;  ///< null: by key
  Guarantee guarantee = Guarantee::kAtLeastOnce;
  OnError on_error = OnError::kFail;
  Properties properties;  ///< of the topics

  bool has_headers() const { return passed_headers >= 0 || !headers.empty(); }
  /// Records carry a time of their own, not that of sending.
  bool has_timestamps() const { return timestamp || input->event_time(); }
};
using KafkaSinkSettingsPtr = std::shared_ptr<const KafkaSinkSettings>;

}  // namespace weir
