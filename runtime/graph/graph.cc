#include "runtime/graph/graph.h"

#include <numeric>

#include "runtime/base/nearest.h"

namespace weir {

std::vector<Graph::Reader> Graph::readers(int vertex, int port) const {
  std::vector<Reader> found;
  for (std::size_t v = 0; v < vertices.size(); ++v)
    for (std::size_t i = 0; i < vertices[v].inputs.size(); ++i)
      if (vertices[v].inputs[i].vertex == vertex && vertices[v].inputs[i].port == port)
        found.push_back({static_cast<int>(v), static_cast<int>(i)});
  return found;
}

namespace {

class GraphBuilder {
 public:
  GraphBuilder(const PipelineFile& file, const Components& components, Diagnostics& diagnostics)
      : file_(file),
        components_(components),
        diagnostics_(diagnostics),
        context_{file, diagnostics},
        file_has_problems_(diagnostics.has_errors()) {
    for (const auto* list : {&file.sources, &file.steps, &file.sinks})
      for (const Component& c : *list) components_of_file_.push_back(&c);
    state_.resize(components_of_file_.size(), State::kNew);
    vertex_.resize(components_of_file_.size(), -1);
  }

  std::optional<Graph> build() {
    for (std::size_t i = 0; i < components_of_file_.size(); ++i) bind(i);
    if (!diagnostics_.has_errors()) check_readers(), check_replay(), find_steps();
    if (diagnostics_.has_errors()) return std::nullopt;
    return std::move(graph_);
  }

 private:
  enum class State { kNew, kBinding, kBound, kFailed };

  std::optional<std::size_t> index_of(const std::string& name) const {
    for (std::size_t i = 0; i < components_of_file_.size(); ++i)
      if (components_of_file_[i]->name == name) return i;
    return std::nullopt;
  }

  /// Binds a component after all that it reads. False if it, or something it reads, has a problem.
  bool bind(std::size_t i) {
    if (state_[i] != State::kNew) return state_[i] == State::kBound;
    state_[i] = State::kBinding;
    const Component& component = *components_of_file_[i];
    const bool inputs_good = resolve_inputs(component);
    state_[i] = State::kFailed;
    if (!inputs_good || !component.usable()) return false;
    if (component.kind != ComponentKind::kSource && component.declaration->takes_input && component.inputs.empty())
      return false;
    const bool reads = component.kind != ComponentKind::kSource && component.declaration->takes_input;
    if (reads && component.inputs.empty()) return false;  // its `from` is wrong, which is reported
    Vertex vertex;
    vertex.name = component.name;
    vertex.kind = component.kind;
    vertex.type = component.type;
    vertex.component = &component;
    std::vector<BoundInput> inputs;
    for (const InputReference& r : component.inputs) {
      const auto port = find_port(r);
      if (!port) return false;
      vertex.inputs.push_back(*port);
      const Vertex& from = graph_.vertices[static_cast<std::size_t>(port->vertex)];
      inputs.push_back({r.component, r.output, from.ports()[static_cast<std::size_t>(port->port)].schema, r.location});
    }
    if (component.kind == ComponentKind::kSource) {
      vertex.source = components_.source(component.type)(component, context_);
      if (!vertex.source) return false;
      vertex.outputs = vertex.source->ports();
      vertex.event_time = bind_event_time(component, vertex.outputs[0].schema, diagnostics_);
    } else {
      if (component.kind == ComponentKind::kStep) {
        vertex.step = components_.step(component.type)(component, inputs, context_);
      } else {
        std::unique_ptr<BoundSink> sink = components_.sink(component.type)(component, inputs, context_);
        vertex.sink = sink.get();
        vertex.step = std::move(sink);
      }
      if (!vertex.step) return false;
      vertex.outputs = vertex.step->ports();
    }
    vertex_[i] = static_cast<int>(graph_.vertices.size());
    graph_.vertices.push_back(std::move(vertex));
    state_[i] = State::kBound;
    return true;
  }

  /// Reports a wrong reference, unless reading the file found problems: then it has said so already.
  void report(const Location& where, std::string text, std::string hint = {}) {
    if (!file_has_problems_) diagnostics_.error(where, std::move(text), std::move(hint));
  }

  bool resolve_inputs(const Component& component) {
    bool good = true;
    for (const InputReference& r : component.inputs) {
      const auto i = index_of(r.component);
      if (!i) {
        std::vector<std::string> names;
        for (const Component* c : components_of_file_)
          if (c->kind != ComponentKind::kSink && c->name != component.name) names.push_back(c->name);
        report(r.location, fmt::format("no source or step is named '{}'", r.component), nearest_hint(r.component, names));
        good = false;
      } else if (components_of_file_[*i]->kind == ComponentKind::kSink && r.output != "errors") {
        report(r.location,
               fmt::format("'{}' is a sink; nothing can be read from it but {}.errors", r.component, r.component));
        good = false;
      } else if (state_[*i] == State::kBinding) {
        report(r.location, fmt::format("'{}' reads itself, over '{}'", component.name, r.component),
               "a pipeline has no cycles");
        good = false;
      } else {
        good &= bind(*i);
      }
    }
    return good;
  }

  std::optional<Vertex::Input> find_port(const InputReference& r) {
    const int v = vertex_[*index_of(r.component)];
    const Vertex& from = graph_.vertices[static_cast<std::size_t>(v)];
    const std::vector<Port>& ports = from.ports();
    for (std::size_t p = 0; p < ports.size(); ++p)
      if (ports[p].name == r.output) return Vertex::Input{v, static_cast<int>(p)};
    if (r.output == "errors") {
      report(r.location, fmt::format("'{}' has no errors stream", r.component),
             fmt::format("write on_error: emit at {}", r.component));
    } else if (r.output.empty()) {
      report(r.location, fmt::format("'{}' has only named outputs", r.component), "its outputs are " + port_names(from));
    } else {
      std::vector<std::string> names;
      for (const Port& p : ports)
        if (!p.name.empty()) names.push_back(p.name);
      const std::string near = nearest_hint(r.output, names);
      std::string text = fmt::format("'{}' has no output '{}'", r.component, r.output);
      std::string hint = !near.empty() ? near : names.empty() ? "" : "its outputs are " + port_names(from);
      // One that such a step may have is not missed before it is bound.
      const std::vector<std::string>& declared = from.component->declaration->outputs;
      if (std::find(declared.begin(), declared.end(), r.output) != declared.end())
        diagnostics_.error(r.location, std::move(text), std::move(hint));
      else report(r.location, std::move(text), std::move(hint));
    }
    return std::nullopt;
  }

  static std::string port_names(const Vertex& from) {
    std::string all;
    for (const Port& p : from.ports())
      if (!p.name.empty()) all += (all.empty() ? "" : ", ") + from.name + "." + p.name;
    return all;
  }

  /// The watermark of a source moves in steps that divide the sizes, slides and offsets of all windows behind it.
  void find_steps() {
    for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
      Vertex& source = graph_.vertices[v];
      if (!source.event_time || source.event_time->watermark_step.micros == 0) continue;
      std::vector<bool> behind(graph_.vertices.size(), false);
      behind[v] = true;
      std::int64_t step = source.event_time->watermark_step.micros;
      for (std::size_t w = v + 1; w < graph_.vertices.size(); ++w) {
        const Vertex& vertex = graph_.vertices[w];
        for (const Vertex::Input& input : vertex.inputs)
          behind[w] = behind[w] || behind[static_cast<std::size_t>(input.vertex)];
        if (behind[w] && vertex.step)
          for (const Duration grain : vertex.step->window_grains()) step = std::gcd(step, grain.micros);
      }
      source.event_time->step = {step};
    }
  }

  /// What was read from such a source when a run failed cannot be read again: no later run makes up for it. Sinks that are
  /// exactly once without being asked (files) stay so for what they did get.
  void check_replay() {
    const auto source = std::find_if(graph_.vertices.begin(), graph_.vertices.end(),
                                     [](const Vertex& v) { return v.source && !v.source->replayable(); });
    if (source == graph_.vertices.end()) return;
    for (const Vertex& v : graph_.vertices)
      if (v.sink && v.sink->guarantee() == "exactly_once" && v.component->config.given("guarantee"))
        diagnostics_.error(
            v.component->config.location("guarantee"),
            fmt::format(
                "nothing is exactly once in a job that reads '{}': {} cannot be read again from a checkpoint, so rows are "
                "lost when a run fails",
                source->name, source->type),
            "write guarantee: at_least_once, or read a file (type: file)");
  }

  void check_readers() {
    for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
      const Vertex& vertex = graph_.vertices[v];
      bool any = vertex.kind == ComponentKind::kSink;
      for (std::size_t p = 0; p < vertex.ports().size(); ++p) {
        const bool read = !graph_.readers(static_cast<int>(v), static_cast<int>(p)).empty();
        any |= read;
        if (!read && vertex.ports()[p].name == "errors")
          diagnostics_.error(vertex.component->config.location("on_error"),
                             fmt::format("'{}' emits its bad rows, but nothing reads {}.errors", vertex.name, vertex.name),
                             fmt::format("add a sink with from: {}.errors, or write on_error: skip", vertex.name));
      }
      if (!any)
        diagnostics_.warning(vertex.component->name_location, fmt::format("nothing reads '{}'", vertex.name),
                             "its rows are computed and thrown away");
    }
    if (file_.sinks.empty())
      diagnostics_.error(file_.name.location, "the pipeline has no sink",
                         "add one under sinks: (type: discard throws the rows away)");
  }

  const PipelineFile& file_;
  const Components& components_;
  Diagnostics& diagnostics_;
  BindContext context_;
  bool file_has_problems_;
  std::vector<const Component*> components_of_file_;
  std::vector<State> state_;
  std::vector<int> vertex_;
  Graph graph_;
};

}  // namespace

std::optional<Graph> build_graph(const PipelineFile& file, const Components& components, Diagnostics& diagnostics) {
  return GraphBuilder(file, components, diagnostics).build();
}

}  // namespace weir
