#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/api/component.h"
#include "runtime/graph/event_time.h"

namespace weir {

/// A source, step or sink with everything bound.
struct Vertex {
  /// Where an input comes from: a port of another vertex.
  struct Input {
    int vertex;
    int port;
  };
  std::string name;
  ComponentKind kind = ComponentKind::kSource;
  std::string type;                      ///< `kafka`, `filter`, …
  const Component* component = nullptr;  ///< as written
  std::unique_ptr<BoundSource> source;   ///< kSource
  std::unique_ptr<BoundStep> step;       ///< kStep and kSink
  const BoundSink* sink = nullptr;       ///< kSink: `step` again
  std::optional<EventTime> event_time;   ///< kSource
  std::vector<Port> outputs;             ///< as bound; a source's rows with their event time
  std::vector<Input> inputs;

  const std::vector<Port>& ports() const { return outputs; }
};

/// The dataflow of a pipeline: every vertex comes after those it reads. Immutable.
struct Graph {
  std::vector<Vertex> vertices;

  /// The vertices that read a port.
  struct Reader {
    int vertex;
    int input;
  };
  std::vector<Reader> readers(int vertex, int port) const;
};

/// Binds all components of a file in the order of the dataflow. Problems (unknown inputs, cycles, streams that nothing
/// reads, errors that nothing takes) are reported, all of them; then the result is nothing. Contacts nothing outside. `file`
/// and `components` are referred to by the result.
std::optional<Graph> build_graph(const PipelineFile& file, const Components& components, Diagnostics& diagnostics);

}  // namespace weir
