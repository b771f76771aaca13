#include "connectors/kafka/sink.h"

namespace weir {

Declaration kafka_sink_declaration() {
  return {
      .kind = ComponentKind::kSink,
      .name = "kafka",
      .summary = "Writes rows to Kafka topics.",
      .caveats = {"Topics are never made: one that does not exist is an error that names the command.",
                  "Rows without a key go to one partition for each batch, another one with the next.",
                  "A record's time cannot be 1970-01-01T00:00:00Z: the client library takes 0 for now."},
      .fields =
          {field::connection().required().doc("The cluster."),
           field::one_of("topic", {field::text("name"), field::form({field::expression("expr").doc(
                                                            "An expression that gives one of `topics`.")})})
               .required()
               .doc("The topic, or {expr: \"…\"} for a topic by row.")
               .example("bids_per_minute"),
           field::list_of("topics", field::text("topic"))
               .doc("The topics that the expression may give.")
               .example("[eu, us]"),
           field::one_of("key", {field::column("column"), field::columns("columns"),
                                 field::form({field::expression("expr").doc("An expression.")})})
               .doc("The record's key: a column, several columns (as a JSON object), or {expr: \"…\"}. Null where it is not "
                    "given.")
               .example("bidder"),
           field::enumeration("key_format", {"raw", "json"})
               .doc("raw: text or bytes as they are, other types as text (one column); json. Default: raw for one column, "
                    "json for several."),
           field::columns("value")
               .doc("The columns of the value, in order. Default: all but metadata columns.")
               .example("[auction, price]"),
           field::one_of("headers", {field::word("_headers"), field::expressions("headers")})
               .doc("Headers: names to expressions; or `_headers`: the headers that the row came with, in order, duplicates "
                    "and nulls kept.")
               .example("{ source: \"'weir'\" }"),
           field::expression("timestamp")
               .doc("The record's time: a timestamp or epoch milliseconds. Default: the event time of the row if there is "
                    "one, else now.")
               .example("at"),
           field::expression("partition")
               .doc("The partition, a whole number; null leaves it to the key. Default: murmur2 of the key, as Java clients "
                    "do.")
               .example("\"auction % 4\""),
           field::one_of("guarantee", {field::word("exactly_once").not_supported_yet(), field::word("at_least_once"),
                                       field::word("none")})
               .defaults_to("at_least_once")
               .doc("at_least_once: a checkpoint waits until every row is acknowledged by all in-sync replicas; none: fire "
                    "and forget."),
           field::any("changelog").not_supported_yet().doc("How a changelog is written."),
           field::texts("properties").doc("librdkafka topic properties.").example("{ compression.codec: lz4 }")},
      .examples = {"from: per_minute\ntype: kafka\nconnection: main\ntopic: bids_per_minute\nkey: bidder\nformat: json"}};
}

}  // namespace weir
