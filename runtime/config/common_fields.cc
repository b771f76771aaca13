#include "runtime/config/common_fields.h"

namespace weir {
namespace {

ConfigField on_error() {
  return field::enumeration("on_error", {"fail", "skip", "emit"})
      .defaults_to("fail")
      .doc(
          "What happens to a row that cannot be processed: fail ends the job, skip counts and drops it, emit sends it to "
          "the stream NAME.errors, "
          "which something must read.");
}

ConfigField format() {
  return field::any("format")
      .doc("The name of a format, or a mapping of `type` and the format's options.")
      .example("{ type: json, missing: fail }");
}

ConfigField event_time() {
  return field::object("event_time",
                       {field::expression("column")
                            .or_column()
                            .required()
                            .doc("The column with the event time, `_timestamp`, or an expression over the columns.")
                            .example("at"),
                        field::duration("max_out_of_orderness")
                            .defaults_to("0s")
                            .doc("How much older than the newest row a row may be without being late."),
                        field::duration("idle_after")
                            .or_never()
                            .defaults_to("1m")
                            .doc("How long a split that is caught up holds the watermark back. When all are idle the one "
                                 "furthest in time makes it."),
                        field::duration("max_ahead")
                            .or_never()
                            .defaults_to("1d")
                            .doc("A row this far ahead of the wall clock is an error."),
                        field::duration("watermark_step")
                            .defaults_to("100ms")
                            .doc("The watermark moves in steps of at most this; 0 moves it with every row.")})
      .decides_columns()
      .doc("Which time of a row counts for windows, and how long to wait for rows that are late.");
}

}  // namespace

const std::vector<ConfigField>& source_fields() {
  static const std::vector<ConfigField> fields = {
      field::text("type").required().doc("What kind of source this is.").example("kafka"),
      format(),
      field::schema("schema")
          .doc("The columns and their types, in order. A json source without a schema has one column, `value json`.")
          .example("{ id: bigint not null, name: varchar }"),
      event_time(),
      on_error(),
      field::integer("parallelism")
          .at_least(1)
          .at_most(1024)
          .doc("How many tasks read it; as many as the job's parallelism where it is not given."),
  };
  return fields;
}

const std::vector<ConfigField>& step_fields() {
  static const std::vector<ConfigField> fields = {
      field::any("from")
          .required()
          .doc("The source or step to read, or a named output: `bids`, `step.late`, `x.errors`.")
          .example("bids"),
      on_error(),
  };
  return fields;
}

const std::vector<ConfigField>& sink_fields() {
  static const std::vector<ConfigField> fields = {
      field::any("from")
          .required()
          .doc("The source or step to read, or a named output: `bids`, `step.late`, `x.errors`.")
          .example("bids"),
      field::text("type").required().doc("What kind of sink this is.").example("kafka"),
      format(),
      on_error(),
  };
  return fields;
}

const std::vector<ConfigField>& connection_fields() {
  static const std::vector<ConfigField> fields = {
      field::text("type").required().doc("What kind of connection this is.").example("kafka"),
  };
  return fields;
}

const std::vector<ConfigField>& top_level_fields() {
  static const std::vector<ConfigField> fields = {
      field::text("name")
          .required()
          .doc("Names the job, its checkpoint folder and its transactional ids.")
          .example("orders-by-minute"),
      field::integer("parallelism")
          .at_least(1)
          .at_most(1024)
          .doc("How many tasks a step has. Default: that of the checkpoint, else the number of cores; at most the splits "
               "where nothing is keyed."),
      field::size("memory")
          .at_least("16MiB")
          .doc("Budget for the program, prefetch, queues and state. Default: a quarter of the machine, or of its container.")
          .example("1GiB"),
      field::object("checkpoint",
                    {field::text("dir")
                         .not_empty()
                         .defaults_to("checkpoints")
                         .doc("The folder of checkpoints; the job uses DIR/NAME."),
                     field::duration("interval")
                         .defaults_to("10s")
                         .doc("How often; 0: only when needed and at the end (an error with exactly_once)."),
                     field::integer("retain").at_least(1).defaults_to("3").doc("How many committed checkpoints are kept.")})
          .doc("Where and how often the job is saved."),
      field::object("restart",
                    {field::integer("attempts").at_least(0).defaults_to("10").doc("How often in a row; 0: never."),
                     field::duration("backoff").defaults_to("1s").doc("The first pause; doubled each time."),
                     field::duration("max_backoff").defaults_to("1m").doc("The longest pause.")})
          .doc("How often the job starts again after an error of its environment."),
      field::object("http", {field::text("listen").required().doc("Address and port.").example("127.0.0.1:8080")})
          .not_supported_yet()
          .doc("Metrics and a page to look in. Off unless given."),
      field::any("alarms").not_supported_yet().doc("When somebody should look."),
      field::any("plugins").not_supported_yet().doc("Libraries that add functions, formats, sources and sinks."),
      field::duration("max_drift")
          .or_never()
          .defaults_to("10m")
          .doc("How far sources whose rows meet in a step may be apart in event time: the one ahead waits. Longer costs "
               "memory where the rows of one wait for those of the other.")
          .example("1h"),
      field::any("connections").doc("Clusters that sources and sinks use, by name."),
      field::any("sources").doc("Where rows come from, by name."),
      field::any("steps").doc("What happens to them, by name."),
      field::any("sinks").doc("Where they go, by name."),
      field::any("tests").not_supported_yet().doc("Rows and what must come of them, for `weir test`."),
  };
  return fields;
}

std::vector<ConfigField> all_fields(const Declaration& declaration) {
  std::vector<ConfigField> out;
  const auto add = [&](const std::vector<ConfigField>& fields) {
    for (const ConfigField& field : fields) {
      const bool needs_format = field.name == "format" || field.name == "schema";
      if (needs_format && declaration.default_format.empty()) continue;
      if (field.name == "from" && !declaration.takes_input) continue;
      out.push_back(field);
    }
  };
  switch (declaration.kind) {
    case ComponentKind::kConnection: add(connection_fields()); break;
    case ComponentKind::kSource: add(source_fields()); break;
    case ComponentKind::kStep: add(step_fields()); break;
    case ComponentKind::kSink: add(sink_fields()); break;
    case ComponentKind::kFormat:
    case ComponentKind::kSection: break;
  }
  out.insert(out.end(), declaration.fields.begin(), declaration.fields.end());
  return out;
}

}  // namespace weir
