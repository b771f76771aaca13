#pragma once
#include <string>
#include <vector>

#include "runtime/config/pipeline_file.h"

namespace weir {

/// Reads the components of a pipeline file, each by itself: type, keys, format, inputs as written.
class ComponentReader {
 public:
  ComponentReader(const Catalogue& catalogue, Diagnostics& diagnostics) : catalogue_(catalogue), diagnostics_(diagnostics) {}

  /// Reads `sources: { NAME: {...} }` and its like. Entries with an impossible name or that are no mapping are reported and
  /// left out.
  std::vector<Component> read_all(ComponentKind kind, const Node& section);

 private:
  Component read_one(ComponentKind kind, const Node::Entry& entry);
  const Declaration* find_type(Component& component, const Node& node);
  const Declaration* find_operation(Component& component, const Node& node);
  void report_no_operation(const Component& component, const Node& node);
  const Declaration* known(ComponentKind kind, const Node& type);
  Node without_format(const Declaration& declaration, Node node);
  Node without_connection_keys(const Declaration& declaration, Node node);
  std::optional<FormatConfig> read_format(const Declaration& declaration, const Node& node);
  std::vector<InputReference> read_inputs(const Component& component, const Node& node);
  std::optional<InputReference> read_input(const Node& node);
  void check_outputs(const Component& component);

  const Catalogue& catalogue_;
  Diagnostics& diagnostics_;
};

/// Checks what the components say about one another: one name space, inputs that exist, streams of errors, connections,
/// circles.
void check_references(const PipelineFile& file, Diagnostics& diagnostics);

}  // namespace weir
