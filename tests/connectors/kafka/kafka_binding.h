#pragma once
#include <string>
#include <vector>

#include "connectors/formats/formats.h"
#include "connectors/kafka/kafka.h"
#include "runtime/api/component.h"

namespace weir {

/// The components that a Kafka pipeline needs.
inline Components kafka_components() {
  Components components;
  for (Declaration& d : format_declarations()) components.add_format(std::move(d));
  add_kafka(components);
  components.finish();
  return components;
}

/// A pipeline file with a connection `main`, read and bound piece by piece.
class KafkaPipeline {
 public:
  /// `connection` is the mapping of `main` in YAML's flow form, without its type.
  explicit KafkaPipeline(std::string connection = "brokers: embedded") : connection_(std::move(connection)) {}

  /// Binds a source named `in` from its keys in flow form: `topic: t, end: latest`. Null on problems.
  std::unique_ptr<BoundSource> source(const std::string& keys) {
    const bool emits = keys.find("on_error: emit") != std::string::npos;
    const std::string bad =
        emits ? "  bad: {from: in.errors, type: kafka, connection: main, topic: bad, format: raw}\n" : "";
    auto file = read("sources:\n  in: {type: kafka, connection: main, " + keys +
                     "}\nsinks:\n  out: {from: in, type: kafka, connection: main, topic: out}\n" + bad);
    if (!file || !file->sources[0].ok()) return nullptr;
    BindContext context{*file, diagnostics_};
    return components_.source("kafka")(file->sources[0], context);
  }

  /// Binds a sink named `out` that reads `input`.
  std::unique_ptr<BoundSink> sink(const std::string& keys, const SchemaPtr& input) {
    auto file = read(
        "sources:\n  in: {type: kafka, connection: main, topic: t}\nsinks:\n  out: {from: in, type: kafka, connection: "
        "main, " +
        keys + "}\n");
    if (!file || !file->sinks[0].ok()) return nullptr;
    BindContext context{*file, diagnostics_};
    return components_.sink("kafka")(file->sinks[0], {{"in", "", input, file->sinks[0].inputs[0].location}}, context);
  }

  /// What was reported so far.
  std::string problems() const { return diagnostics_.format(); }
  /// The texts and hints alone: `text (hint)`, one a line.
  std::string said() const {
    std::string out;
    for (const Diagnostic& d : diagnostics_.sorted()) out += d.text + (d.hint.empty() ? "" : " (" + d.hint + ")") + "\n";
    return out;
  }

 private:
  class NoEnvironment final : public Environment {
   public:
    std::optional<std::string> variable(const std::string&) const override { return std::nullopt; }
    std::string file(const std::string&) const override { return "secret"; }
  };

  std::optional<PipelineFile> read(const std::string& rest) {
    auto text = std::make_shared<const SourceText>(
        "t.yaml", "name: t\nconnections:\n  main: {type: kafka, " + connection_ + "}\n" + rest);
    return read_pipeline(text, {}, NoEnvironment(), components_.catalogue(), diagnostics_);
  }

  std::string connection_;
  Components components_ = kafka_components();
  Diagnostics diagnostics_;
};

}  // namespace weir
