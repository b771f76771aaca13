#include "connectors/kafka/source/source.h"
#include "connectors/kafka/source/start_and_end.h"

namespace weir {

Declaration kafka_source_declaration() {
  return {
      .kind = ComponentKind::kSource,
      .name = "kafka",
      .summary = "Reads records of Kafka topics.",
      .caveats = {"Positions are in the job's checkpoints; a group is for monitoring only.",
                  "Reading with read_committed ends at the last stable offset: an open transaction of others holds "
                  "everything behind it back."},
      .fields =
          {field::connection().required().doc("The cluster."),
           field::text("topic").not_empty().doc("The topic.").example("bids"),
           field::list_of("topics", field::text("topic").not_empty()).doc("Several topics.").example("[bids, asks]"),
           field::text("topic_pattern")
               .not_empty()
               .doc("A regular expression (ECMAScript) that whole names of topics must fit.")
               .example("\"bids-.*\""),
           field::text("group").doc("A consumer group, for monitoring: positions are committed to it after each checkpoint. "
                                    "May not begin with `weir-`."),
           start_field(), end_field(),
           field::duration("discovery")
               .defaults_to("5m")
               .doc("How often to look for new partitions and topics, which are read from their beginning; 0 turns it off. "
                    "Bounded sources only look at the first start, and with --continue."),
           field::enumeration("isolation", {"read_committed", "read_uncommitted"})
               .defaults_to("read_committed")
               .doc("Whether records of open and aborted transactions are read."),
           field::boolean("commit_offsets").defaults_to("true").doc("Commit positions to `group` after each checkpoint."),
           field::enumeration("offset_lost", {"fail", "earliest", "latest"})
               .defaults_to("fail")
               .doc("What to do when the position to go on from (a checkpoint's, the group's, one of start: {offsets}) was "
                    "deleted "
                    "by retention."),
           field::enumeration("topic_recreated", {"fail", "earliest"})
               .defaults_to("fail")
               .doc("What to do when a topic is not the one that the checkpoint read."),
           field::enumeration("tombstone", {"fail", "skip", "row"})
               .defaults_to("fail")
               .doc("What a null value is under a format other than raw: an error, left out, or a row of nulls."),
           field::list_of("metadata", field::enumeration(
                                          "column", {"_key", "_topic", "_partition", "_offset", "_timestamp", "_headers"}))
               .decides_columns()
               .doc("Columns to add: _key bytea, _topic varchar, _partition int, _offset bigint, _timestamp timestamp, "
                    "_headers array(row(key varchar, value bytea)).")
               .example("[_key, _timestamp]"),
           field::any("key").not_supported_yet().doc("Columns that are read from the record's key."),
           field::any("key_format").not_supported_yet().doc("How keys are read."),
           field::any("changelog").not_supported_yet().doc("`upsert`: the newest row of a key replaces the one before."),
           field::texts("properties").doc("librdkafka properties of the consumers.").example("{ fetch.wait.max.ms: 50 }")},
      .exactly_one = {{"topic", "topics", "topic_pattern"}},
      .examples = {"type: kafka\nconnection: main\ntopic: bids\nformat: json\nschema: { auction: bigint, price: double, at: "
                   "timestamp }"}};
}

}  // namespace weir
