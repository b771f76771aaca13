#pragma once
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "connectors/formats/decoder.h"
#include "connectors/kafka/client/cluster.h"
#include "connectors/kafka/source/start_and_end.h"
#include "runtime/api/component.h"

namespace weir {

/// A field of a record that is no part of its value.
enum class RecordField { kKey, kTopic, kPartition, kOffset, kTimestamp, kHeaders };

/// The column of a record's field as users see it: `_key bytea`, …
Field column_of(RecordField field);
/// `_key`, … of the key `metadata`; nothing for another name.
std::optional<RecordField> record_field(std::string_view column);

/// What a source of type kafka does, as the file says it. Immutable, shared by its enumerators and readers.
struct KafkaSourceSettings {
  /// What to do where the checkpoint does not fit what is in the topic.
  enum class Lost { kFail, kEarliest, kLatest };
  enum class Tombstone { kFail, kSkip, kRow };

  // What changes results.
  std::string name;
  ClusterPtr cluster;
  std::vector<std::string> topics;    ///< empty with a pattern
  std::optional<std::regex> pattern;  ///< of whole topic names
  std::string pattern_text;
  StartRule start;
  EndRule end;
  bool read_committed = true;
  Lost offset_lost = Lost::kFail;
  Lost topic_recreated = Lost::kFail;  ///< never kLatest
  Tombstone tombstone = Tombstone::kFail;
  bool null_is_value = false;  ///< format raw: a null value is a row
  OnError on_error = OnError::kFail;
  SchemaPtr schema;  ///< the columns of the value, then those of `metadata`
  int value_columns = 0;
  std::vector<RecordField> metadata;
  bool has_event_time = false;  ///< splits that are behind in it are read first
  std::shared_ptr<const DecoderFactory> format;

  // What does not.
  std::string group;  ///< empty: none
  bool commit_offsets = true;
  Duration discovery;  ///< zero: never
  Properties properties;

  /// True if the topic is one of `topics` or fits the pattern.
  bool reads(const std::string& topic) const;
  bool bounded() const { return end.kind != EndRule::Kind::kNone; }
  /// A consumer with the source's properties, which win over `defaults`. It belongs to no group.
  std::unique_ptr<Client> new_consumer(bool committed_only, const Properties& defaults = {}, ClientEvents events = {}) const;
  /// One that may ask what the source's group has committed.
  std::unique_ptr<Client> new_group_consumer() const;
};
using KafkaSourceSettingsPtr = std::shared_ptr<const KafkaSourceSettings>;

}  // namespace weir
