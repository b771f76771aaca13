#include "connectors/formats/changelog.h"
#include "connectors/kafka/sink/sink.h"

namespace weir {

Declaration kafka_sink_declaration() {
  return {
      .kind = ComponentKind::kSink,
      .name = "kafka",
      .summary = "Writes rows to Kafka topics.",
      .caveats =
          {"Topics are never made: one that does not exist is an error that names the command.",
           "Rows without a key go to one partition for each batch, another one with the next; those of a changelog to one "
           "for each task, so that "
           "the changes of a row stay in order.",
           "Under changelog: upsert the key holds the columns that tell the rows of the result apart: those of `by`, with a "
           "window also "
           "window_end or window_start. More columns may be in it; of {expr: \"…\"} only the columns are looked at: it must "
           "give another key "
           "for other values of them. Only one sink upserts a changelog into a topic.",
           "One connection of a file may be exactly once. Its rights: transactional ids that begin with weir-<name>-: "
           "Write, "
           "Describe; group weir-<name>: Read, Describe; its topics: Write, Describe, and Read on the first by name.",
           "Under exactly_once a row that the broker refuses, though it was not known before that it would, ends the job "
           "whatever on_error says: the transaction cannot go on without it.",
           "A record's time must lie after 1970-01-01T00:00:00Z (the client library takes 0 for now): rows before are row "
           "errors unless "
           "`timestamp` gives another time."},
      .fields =
          {field::connection().required().doc("The cluster."),
           field::one_of("topic", {field::text("name").not_empty(), field::form({field::expression("expr").doc(
                                                                        "An expression that gives one of `topics`.")})})
               .required()
               .doc("The topic, or {expr: \"…\"} for a topic by row.")
               .example("bids_per_minute"),
           field::list_of("topics", field::text("topic").not_empty())
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
               .doc("The record's time: a timestamp or epoch milliseconds, taken as it is. Default: the event time of the "
                    "row if there is "
                    "one, but never later than now (brokers take no record far ahead); else now.")
               .example("at"),
           field::expression("partition")
               .doc("The partition, a whole number; null leaves it to the key. Default: murmur2 of the key, as Java clients "
                    "do.")
               .example("\"auction % 4\""),
           field::one_of("guarantee", {field::word("exactly_once"), field::word("at_least_once"), field::word("none")})
               .doc("exactly_once: rows are written in transactions that are committed with the checkpoint, so readers with "
                    "isolation.level=read_committed see each once; at_least_once: a checkpoint waits until every row is "
                    "acknowledged by all in-sync replicas; none: fire and forget. Default: exactly_once if another sink on "
                    "the "
                    "connection is, else at_least_once."),
           changelog_field(true),
           field::texts("properties")
               .doc("librdkafka topic properties. Sinks of a connection that write one topic give the same.")
               .example("{ compression.codec: lz4 }")},
      .examples = {"from: per_minute\ntype: kafka\nconnection: main\ntopic: bids_per_minute\nkey: bidder\nformat: json"}};
}

}  // namespace weir
