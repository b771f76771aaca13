#include "connectors/kafka/source/source_settings.h"

namespace weir {

Field column_of(RecordField field) {
  switch (field) {
    case RecordField::kKey: return {"_key", Type::bytea(), true, true};
    case RecordField::kTopic: return {"_topic", Type::varchar(), false, true};
    case RecordField::kPartition: return {"_partition", Type::integer(), false, true};
    case RecordField::kOffset: return {"_offset", Type::bigint(), false, true};
    case RecordField::kTimestamp: return {"_timestamp", Type::timestamp(), true, true};
    case RecordField::kHeaders: break;
  }
  return {"_headers", Type::array(Type::row({{"key", Type::varchar()}, {"value", Type::bytea()}})), false, true};
}

std::optional<RecordField> record_field(std::string_view column) {
  for (const RecordField f : {RecordField::kKey, RecordField::kTopic, RecordField::kPartition, RecordField::kOffset,
                              RecordField::kTimestamp, RecordField::kHeaders})
    if (column_of(f).name == column) return f;
  return std::nullopt;
}

bool KafkaSourceSettings::reads(const std::string& topic) const {
  return pattern ? std::regex_match(topic, *pattern) : std::find(topics.begin(), topics.end(), topic) != topics.end();
}

std::unique_ptr<Client> KafkaSourceSettings::new_consumer(bool committed_only, const Properties& defaults,
                                                          ClientEvents events) const {
  Properties all = properties;
  all.emplace_back("isolation.level", committed_only ? "read_committed" : "read_uncommitted");
  return cluster->new_consumer(name, defaults, all, std::move(events));
}

std::unique_ptr<Client> KafkaSourceSettings::new_group_consumer() const {
  Properties all = properties;
  all.emplace_back("group.id", group);
  return cluster->new_consumer(name, {}, all);
}

}  // namespace weir
