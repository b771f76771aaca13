#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/config/pipeline_file.h"

namespace weir {

/// Components like those of the program, so far as a file can show them. They are only declared, never run.
inline Catalogue sample_catalogue() {
  Catalogue catalogue;
  catalogue.add({.kind = ComponentKind::kConnection,
                 .name = "kafka",
                 .summary = "A Kafka cluster.",
                 .fields = {field::text("brokers").required().example("\"h1:9092,h2:9092\""),
                            field::object("security",
                                          {field::enumeration("protocol", {"plaintext", "ssl", "sasl_plaintext", "sasl_ssl"})
                                               .defaults_to("plaintext"),
                                           field::text("user"), field::text("password").secret(), field::text("ca")}),
                            field::duration("transaction_timeout").at_least("1s"),
                            field::texts("properties").with_secrets({"sasl.password"})}});
  catalogue.add(
      {.kind = ComponentKind::kSource,
       .name = "kafka",
       .summary = "Reads topics of a Kafka cluster.",
       .caveats = {"A row may come twice after a restart that is not exactly once."},
       .fields =
           {field::connection().required().example("main"), field::text("topic").doc("The topic."),
            field::list_of("topics", field::text("topic")), field::text("topic_pattern"),
            field::one_of(
                "start",
                {field::word("earliest"), field::word("latest"), field::word("committed"),
                 field::form({field::enumeration("committed", {"earliest", "latest"})}),
                 field::form({field::time("timestamp")}),
                 field::form({field::map_of(
                     "offsets", field::one_of("position", {field::integer("offset").at_least(0),
                                                           field::map_of("partitions", field::integer("offset"))}))})})
                .defaults_to("earliest"),
            field::duration("discovery").defaults_to("5m").doc("How often to look for new partitions; 0 turns it off."),
            field::boolean("commit_offsets").defaults_to("true"),
            field::enumeration("isolation", {"read_committed", "read_uncommitted"}).defaults_to("read_committed"),
            field::list_of("metadata", field::enumeration(
                                           "column", {"_key", "_topic", "_partition", "_offset", "_timestamp", "_headers"})),
            field::integer("fetch_limit").at_least(1).at_most(100),
            field::size("queue").at_least("64KiB").defaults_to("1MiB"),
            field::texts("properties").with_secrets({"sasl.password"})},
       .exactly_one = {{"topic", "topics", "topic_pattern"}},
       .examples = {"type: kafka\nconnection: main\ntopic: bids"}});
  catalogue.add({.kind = ComponentKind::kSource,
                 .name = "generator",
                 .summary = "Makes rows up.",
                 .fields = {field::integer("rows").at_least(0), field::number("rate").at_least(0),
                            field::integer("seed").defaults_to("1"), field::expressions("select").required()},
                 .default_format = ""});
  catalogue.add({.kind = ComponentKind::kStep,
                 .name = "filter",
                 .summary = "Keeps rows.",
                 .fields = {field::expression("filter").required()}});
  catalogue.add({.kind = ComponentKind::kStep,
                 .name = "select",
                 .summary = "Computes columns.",
                 .fields = {field::selection("select").required()}});
  catalogue.add({.kind = ComponentKind::kStep,
                 .name = "union",
                 .summary = "Puts inputs together.",
                 .fields = {field::object("union", {}).required()},
                 .takes_many_inputs = true});
  catalogue.add({.kind = ComponentKind::kStep,
                 .name = "route",
                 .summary = "Sends rows to outputs.",
                 .fields = {field::expressions("route").required().names_outputs()}});
  catalogue.add(
      {.kind = ComponentKind::kSink,
       .name = "kafka",
       .summary = "Writes to a topic.",
       .fields = {field::connection().required(),
                  field::one_of("topic", {field::text("name"), field::form({field::expression("expr")})}).required(),
                  field::one_of("key", {field::columns("columns"), field::form({field::expression("expr")})}),
                  field::enumeration("guarantee", {"exactly_once", "at_least_once", "none"}), field::texts("properties")}});
  catalogue.add({.kind = ComponentKind::kSink, .name = "console", .summary = "Prints rows.", .fields = {}});
  catalogue.add({.kind = ComponentKind::kFormat,
                 .name = "json",
                 .summary = "One JSON object a row.",
                 .fields = {field::boolean("ignore_unknown").defaults_to("true"),
                            field::enumeration("missing", {"null_value", "fail"}).defaults_to("null_value")}});
  catalogue.add({.kind = ComponentKind::kFormat, .name = "raw", .summary = "Bytes.", .fields = {}});
  catalogue.add_not_supported_yet();
  return catalogue;
}

/// Variables and files that a test made up.
class SampleEnvironment final : public Environment {
 public:
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> files;

  std::optional<std::string> variable(const std::string& name) const override {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }
  std::string file(const std::string& path) const override {
    const auto found = files.find(path);
    if (found == files.end()) throw Error(Blame::kUser, "No such file or directory");
    return found->second;
  }
};

/// A pipeline text read with the sample catalogue, and what was said about it.
struct ReadPipeline {
  Catalogue catalogue = sample_catalogue();
  SampleEnvironment environment;
  Diagnostics diagnostics;
  std::optional<PipelineFile> file;

  ReadPipeline& read(const std::string& text, const std::vector<std::string>& overrides = {},
                     const std::string& name = "p.yaml") {
    file = read_pipeline(std::make_shared<const SourceText>(name, text), overrides, environment, catalogue, diagnostics);
    return *this;
  }
  std::string messages() const { return diagnostics.format(); }
};

}  // namespace weir
