#pragma once
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/graph/graph.h"
#include "tests/support/played_dataflow.h"

namespace weir {

/// A pipeline file of played components, bound:
///   sources `numbers` (rows `split int, n bigint`; keys `once`: cannot be read again, `bounded`),
///   steps   `pass` (forward), `keyed` (by hash), `even` (rebalance), `windows` (forward; a window of that `size`; declares
///   an output `late` that it does not have),
///           `union` (many inputs, forward), `fork` (named outputs only), `fails` (cannot be bound)
///   sink    `out` (guarantee as written).
class PlayedGraph {
 public:
  explicit PlayedGraph(const std::string& yaml) {
    add_source();
    for (const std::string name : {"pass", "keyed", "even", "union", "fork", "windows", "fails"}) add_step(name);
    components_.add_sink({.kind = ComponentKind::kSink,
                          .name = "out",
                          .fields = {field::enumeration("guarantee", {"exactly_once", "none"}).defaults_to("exactly_once")},
                          .default_format = ""},
                         [this](const Component& c, const auto& inputs, BindContext&) { return bind(c, inputs); });
    components_.finish();
    const auto source = std::make_shared<const SourceText>("p.yaml", yaml);
    file = read_pipeline(source, {}, NoEnvironment(), components_.catalogue(), diagnostics);
    if (!file) throw std::runtime_error(diagnostics.format());
    graph = build_graph(*file, components_, diagnostics);
  }

  std::string problems() const { return diagnostics.format(); }
  /// The number of a vertex.
  int at(const std::string& name) const {
    for (std::size_t v = 0; v < graph->vertices.size(); ++v)
      if (graph->vertices[v].name == name) return static_cast<int>(v);
    throw std::runtime_error("no vertex " + name);
  }
  const Vertex& vertex(const std::string& name) const { return graph->vertices[static_cast<std::size_t>(at(name))]; }

  std::map<std::string, PlayedSource*> sources;
  std::map<std::string, PlayedStep*> steps;
  std::vector<std::string> bound;  ///< components in the order in which they were bound
  Diagnostics diagnostics;
  std::optional<PipelineFile> file;
  std::optional<Graph> graph;
  Journal journal;

 private:
  class NoEnvironment final : public Environment {
   public:
    std::optional<std::string> variable(const std::string&) const override { return std::nullopt; }
    std::string file(const std::string& path) const override { throw std::runtime_error("no files here: " + path); }
  };

  void add_source() {
    const auto flag = [](const char* name) { return field::boolean(name).defaults_to("false"); };
    components_.add_source(
        {.kind = ComponentKind::kSource, .name = "numbers", .fields = {flag("once"), flag("bounded")}, .default_format = ""},
        [this](const Component& c, BindContext&) {
          bound.push_back(c.name);
          auto source = std::make_unique<PlayedSource>(c.name, &journal);
          source->is_replayable = !c.config.boolean("once");
          source->is_bounded = c.config.boolean("bounded");
          sources[c.name] = source.get();
          if (read_on_error(c.config) == OnError::kEmit) source->add_errors_port();
          return source;
        });
  }

  void add_step(const std::string& name) {
    const auto operation = name == "fork"      ? field::expressions(name).required().names_outputs()
                           : name == "windows" ? field::object(name, {field::duration("size").required()}).required()
                                               : field::boolean(name).required();
    const std::vector<std::string> late = name == "windows" ? std::vector<std::string>{"late"} : std::vector<std::string>{};
    components_.add_step({.kind = ComponentKind::kStep,
                          .name = name,
                          .fields = {operation},
                          .outputs = late,
                          .takes_many_inputs = name == "union"},
                         [this](const Component& c, const auto& inputs, BindContext&) { return bind(c, inputs); });
  }

  std::unique_ptr<PlayedStep> bind(const Component& c, const std::vector<BoundInput>& inputs) {
    bound.push_back(c.name);
    for (const BoundInput& i : inputs)
      bound.back() += fmt::format(" <{}{}{}", i.component, i.output.empty() ? "" : ".", i.output);
    if (c.type == "fails") return nullptr;
    Exchange exchange;
    if (c.type == "keyed") exchange = {Exchange::Kind::kHash, {0}};
    if (c.type == "even") exchange.kind = Exchange::Kind::kRebalance;
    std::vector<Port> ports;
    if (c.kind == ComponentKind::kStep && c.type != "fork") ports.push_back({"", PlayedSource::rows_schema()});
    if (c.type == "fork")
      for (const NamedText& output : c.config.entries("fork")) ports.push_back({output.name, PlayedSource::rows_schema()});
    auto step = std::make_unique<PlayedStep>(c.name, journal, std::vector(inputs.size(), exchange),
                                             with_errors_port(std::move(ports), read_on_error(c.config)));
    if (c.kind == ComponentKind::kSink) step->sink_guarantee = c.config.text("guarantee");
    if (c.type == "windows") step->grains.push_back(c.config.object("windows").duration("size"));
    steps[c.name] = step.get();
    return step;
  }

  Components components_;
};

}  // namespace weir
