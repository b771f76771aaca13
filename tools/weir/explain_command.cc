#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "runtime/data/event_time_column.h"
#include "runtime/graph/plan.h"
#include "tools/weir/guarantee_reason.h"
#include "tools/weir/pipeline_command.h"

namespace weir {

namespace {

using Json = nlohmann::ordered_json;

const char* kind_name(ComponentKind kind) { return to_string(kind); }

/// A column that only weir sees: an event time that is no column of the source.
bool is_internal(const Field& f) { return f.metadata && f.name == kEventTimeColumn; }

std::string schema_text(const Schema& schema) {
  std::string s;
  for (const Field& f : schema.fields())
    if (!is_internal(f)) s += (s.empty() ? "" : ", ") + f.name + " " + f.type.name() + (f.nullable ? "" : " not null");
  if (schema.changelog()) s += "; a changelog";
  return s;
}

std::string input_name(const Graph& graph, const Vertex::Input& input) {
  const Vertex& from = graph.vertices[static_cast<std::size_t>(input.vertex)];
  const std::string& port = from.ports()[static_cast<std::size_t>(input.port)].name;
  return port.empty() ? from.name : from.name + "." + port;
}

const char* exchange_name(Exchange::Kind kind) {
  switch (kind) {
    case Exchange::Kind::kForward: return "forward";
    case Exchange::Kind::kHash: return "hash";
    case Exchange::Kind::kRebalance: return "rebalance";
  }
  return "";
}

std::string or_never(const std::optional<Duration>& d) { return d ? format_duration(*d) : "never"; }

/// The event time of a source, in words.
std::string event_time_text(const Vertex& source) {
  const EventTime& e = *source.event_time;
  const std::string& written = source.component->config.object("event_time").expression("column").text;
  const char* small = e.step < Duration::milliseconds(10) ? " (below 10ms: many small batches, which cost speed)" : "";
  const std::string idle =
      e.idle_after ? "a split is idle after " + format_duration(*e.idle_after) : "a split is never idle";
  const std::string ahead =
      e.max_ahead ? "refused when ahead of the clock by " + format_duration(*e.max_ahead) : "may be ahead of the clock";
  const Schema& rows = *source.ports()[0].schema;
  const std::string internal = is_internal(rows[e.column]) ? fmt::format(" (in the column {})", kEventTimeColumn) : "";
  return fmt::format("{}{}; watermark {} behind the largest, in steps of {}{}; {}; {}", written, internal,
                     format_duration(e.max_out_of_orderness), format_duration(e.step), small, idle, ahead);
}

Json event_time_json(const Vertex& source) {
  const EventTime& e = *source.event_time;
  return {{"column", source.component->config.object("event_time").expression("column").text},
          {"max_out_of_orderness", format_duration(e.max_out_of_orderness)},
          {"idle_after", or_never(e.idle_after)},
          {"max_ahead", or_never(e.max_ahead)},
          {"watermark_step", format_duration(e.step)}};
}

/// The column with the event time of a port's rows; empty where they have none.
std::string event_time_column(const Port& port) {
  const auto column = port.schema->event_time();
  return column ? (*port.schema)[*column].name : "";
}

std::string reason_of(const Vertex& sink) { return guarantee_reason(sink.type, sink.sink->guarantee()); }

/// What makes a checkpoint of the job count, in words.
std::string commit_text(const Graph& graph, const std::string& job) {
  for (const Vertex& v : graph.vertices)
    if (v.sink && v.type == "kafka" && v.sink->guarantee() == "exactly_once")
      return fmt::format(
          "a checkpoint counts when its Kafka transaction is committed: transactional ids weir-{}-a and weir-{}-b, marker "
          "in group weir-{}",
          job, job, job);
  return "a checkpoint counts when it has its final name";
}

void explain_text(const LoadedPipeline& p, const Plan& plan) {
  const Graph& graph = p.graph;
  std::printf("job %s\n  %s\n", p.file.name.text.c_str(), commit_text(graph, p.file.name.text).c_str());
  for (const Vertex& v : graph.vertices) {
    std::printf("\n%s %s (%s)\n", kind_name(v.kind), v.name.c_str(), v.type.c_str());
    for (std::size_t i = 0; i < v.inputs.size(); ++i)
      std::printf("  reads    %s (%s)\n", input_name(graph, v.inputs[i]).c_str(),
                  exchange_name(v.step->exchange(static_cast<int>(i)).kind));
    if (v.source) std::printf("  bounded  %s\n", v.source->bounded() ? "yes: the job ends with it" : "no");
    if (v.event_time) std::printf("  time     %s\n", event_time_text(v).c_str());
    if (v.kind == ComponentKind::kStep && !v.ports().empty() && !event_time_column(v.ports()[0]).empty())
      std::printf("  time     in the column %s\n", event_time_column(v.ports()[0]).c_str());
    for (const Port& port : v.ports())
      std::printf("  %-8s %s\n", port.name.empty() ? "columns" : ("." + port.name).c_str(),
                  schema_text(*port.schema).c_str());
    if (v.kind == ComponentKind::kSink)
      std::printf("  gives    %s: %s\n", v.sink->guarantee().c_str(), reason_of(v).c_str());
  }
  std::printf("\ntasks (a source has at most one a split)\n");
  for (std::size_t c = 0; c < plan.chains.size(); ++c)
    std::printf("  %d x  %s\n", plan.chains[c].parallelism, plan.name(graph, static_cast<int>(c)).c_str());
}

void explain_json(const LoadedPipeline& p, const Plan& plan) {
  const Graph& graph = p.graph;
  Json out = {{"job", p.file.name.text},
              {"commit", commit_text(graph, p.file.name.text)},
              {"components", Json::array()},
              {"tasks", Json::array()}};
  for (const Vertex& v : graph.vertices) {
    Json c = {{"name", v.name},
              {"kind", kind_name(v.kind)},
              {"type", v.type},
              {"inputs", Json::array()},
              {"outputs", Json::array()}};
    for (std::size_t i = 0; i < v.inputs.size(); ++i)
      c["inputs"].push_back({{"from", input_name(graph, v.inputs[i])},
                             {"exchange", exchange_name(v.step->exchange(static_cast<int>(i)).kind)}});
    for (const Port& port : v.ports()) {
      Json columns = Json::array();
      for (const Field& f : port.schema->fields())
        if (!is_internal(f))
          columns.push_back({{"name", f.name}, {"type", f.type.name()}, {"nullable", f.nullable}, {"metadata", f.metadata}});
      const std::string time = event_time_column(port);
      c["outputs"].push_back({{"name", port.name},
                              {"columns", columns},
                              {"changelog", port.schema->changelog()},
                              {"event_time", time.empty() ? Json(nullptr) : Json(time)}});
    }
    if (v.source) c["bounded"] = v.source->bounded();
    if (v.event_time) c["event_time"] = event_time_json(v);
    if (v.sink) c["guarantee"] = v.sink->guarantee(), c["why"] = reason_of(v);
    out["components"].push_back(std::move(c));
  }
  for (const Chain& chain : plan.chains) {
    Json names = Json::array();
    for (const int v : chain.vertices) names.push_back(graph.vertices[static_cast<std::size_t>(v)].name);
    out["tasks"].push_back({{"chain", names}, {"parallelism", chain.parallelism}});
  }
  std::printf("%s\n", out.dump(2).c_str());
}

void explain_mermaid(const LoadedPipeline& p) {
  std::printf("flowchart LR\n");
  for (std::size_t v = 0; v < p.graph.vertices.size(); ++v) {
    const Vertex& vertex = p.graph.vertices[v];
    std::printf("  v%zu[\"%s<br/>%s %s\"]\n", v, vertex.name.c_str(), vertex.type.c_str(), kind_name(vertex.kind));
  }
  for (std::size_t v = 0; v < p.graph.vertices.size(); ++v) {
    for (const Vertex::Input& input : p.graph.vertices[v].inputs) {
      const std::string& port =
          p.graph.vertices[static_cast<std::size_t>(input.vertex)].ports()[static_cast<std::size_t>(input.port)].name;
      std::printf("  v%d -->%s v%zu\n", input.vertex, port.empty() ? "" : ("|" + port + "|").c_str(), v);
    }
  }
}

}  // namespace

int explain_command(const std::string& path, const std::vector<std::string>& overrides, const std::string& format,
                    Looks looks) {
  const auto pipeline = load_pipeline(path, overrides, looks);
  if (!pipeline) return 2;
  const int parallelism =
      static_cast<int>(pipeline->file.parallelism.value_or(std::max(1u, std::thread::hardware_concurrency())));
  const Plan plan = make_plan(pipeline->graph, parallelism, std::vector<int>(pipeline->graph.vertices.size(), 0));
  if (format == "json") explain_json(*pipeline, plan);
  else if (format == "mermaid") explain_mermaid(*pipeline);
  else explain_text(*pipeline, plan);
  return 0;
}

}  // namespace weir
