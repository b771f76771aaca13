#include "runtime/config/pipeline_file.h"

#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "runtime/config/common_fields.h"
#include "runtime/config/component_reader.h"
#include "runtime/config/names.h"
#include "runtime/config/override.h"
#include "runtime/config/yaml.h"

namespace weir {
namespace {

const Component* find_in(const std::vector<Component>& components, const std::string& name) {
  for (const Component& component : components)
    if (component.name == name) return &component;
  return nullptr;
}

void read_settings(PipelineFile& file, Diagnostics& diagnostics) {
  const Config& settings = file.settings;
  if (settings.has("name")) {
    file.name = settings.located("name");
    check_job_name(file.name, diagnostics);
  }
  if (settings.has("parallelism")) file.parallelism = settings.integer("parallelism");
  if (settings.has("memory")) file.memory = settings.size("memory");
  if (settings.has("checkpoint")) {
    const Config& checkpoint = settings.object("checkpoint");
    file.checkpoint = {checkpoint.text("dir"), checkpoint.duration("interval"), checkpoint.integer("retain")};
    if (file.checkpoint.dir.empty()) diagnostics.error(checkpoint.location("dir"), "'dir' must be the path of a folder: ''");
  }
  if (settings.has("max_drift")) file.max_drift = settings.duration_unless_never("max_drift");
  if (settings.has("restart")) {
    const Config& restart = settings.object("restart");
    file.restart = {restart.integer("attempts"), restart.duration("backoff"), restart.duration("max_backoff")};
    if (file.restart.max_backoff < file.restart.backoff)
      diagnostics.error(restart.location("max_backoff"),
                        fmt::format("'max_backoff' must be at least 'backoff': {} is less than {}",
                                    format_duration(file.restart.max_backoff), format_duration(file.restart.backoff)));
  }
}

void require_sections(const Node& root, Diagnostics& diagnostics) {
  for (const char* section : {"sources", "sinks"}) {
    const Node* node = root.find(section);
    if (!node) diagnostics.error(root.location, fmt::format("the pipeline has no '{}'", section));
    else if (node->is_empty() || (node->is_mapping() && node->entries.empty()))
      diagnostics.error(node->place(), fmt::format("'{}' is empty", section));
  }
}

/// The keys under which columns and expressions stand: a column may be called `token`.
void collect_keys_of_columns(const std::vector<ConfigField>& fields, std::set<std::string>& keys) {
  for (const ConfigField& field : fields) {
    collect_keys_of_columns(field.parts, keys);
    const bool is_of_columns = field.type == FieldType::kExpression || field.type == FieldType::kExpressions ||
                               field.type == FieldType::kSelection || field.type == FieldType::kSchema ||
                               field.type == FieldType::kColumn;
    if (is_of_columns) keys.insert(field.name);
  }
}

std::size_t end_of(const Node& node) {
  std::size_t end = node.is_scalar() ? node.end : 0;
  for (const Node& item : node.items) end = std::max(end, end_of(item));
  for (const Node::Entry& entry : node.entries) end = std::max({end, entry.key.end, end_of(entry.value)});
  return end;
}

/// Shows again what was hidden by the name of its key, but is a column or an expression.
void reveal_columns(const Node& node, const std::set<std::string>& keys, Diagnostics& diagnostics) {
  for (const Node& item : node.items) reveal_columns(item, keys, diagnostics);
  for (const Node::Entry& entry : node.entries) {
    const std::size_t begin = entry.value.location.offset(), end = end_of(entry.value);
    if (!keys.contains(entry.key.text)) reveal_columns(entry.value, keys, diagnostics);
    else if (end > begin) diagnostics.reveal(entry.value.location, end - begin);
  }
}

void reveal_columns(const Node& root, const Catalogue& catalogue, Diagnostics& diagnostics) {
  std::set<std::string> keys;
  collect_keys_of_columns(source_fields(), keys);
  for (const Declaration& declaration : catalogue.all())
    if (declaration.kind != ComponentKind::kConnection) collect_keys_of_columns(declaration.fields, keys);
  reveal_columns(root, keys, diagnostics);
}

}  // namespace

const Component* PipelineFile::find(const std::string& name) const {
  for (const auto* components : {&sources, &steps, &sinks})
    if (const Component* found = find_in(*components, name)) return found;
  return nullptr;
}

const Component* PipelineFile::find_connection(const std::string& name) const { return find_in(connections, name); }

std::optional<PipelineFile> read_pipeline(std::shared_ptr<const SourceText> source,
                                          const std::vector<std::string>& overrides, const Environment& environment,
                                          const Catalogue& catalogue, Diagnostics& diagnostics) {
  std::optional<Node> root = parse_yaml(source, diagnostics);
  if (!root) return std::nullopt;
  reveal_columns(*root, catalogue, diagnostics);
  for (const std::string& assignment : overrides) apply_override(*root, assignment, diagnostics);
  substitute(*root, environment, diagnostics);
  if (!root->is_mapping()) {
    diagnostics.error(root->location, fmt::format("a pipeline file must be a mapping, not {}", root->kind_name()),
                      "it begins with name: NAME");
    return std::nullopt;
  }
  PipelineFile file;
  file.source = std::move(source);
  file.settings = read(top_level_fields(), *root, "the pipeline", diagnostics);
  read_settings(file, diagnostics);
  require_sections(*root, diagnostics);
  ComponentReader reader(catalogue, diagnostics);
  const Node nothing;
  const auto section = [&](const char* name) -> const Node& {
    const Node* node = root->find(name);
    return node ? *node : nothing;
  };
  file.connections = reader.read_all(ComponentKind::kConnection, section("connections"));
  file.sources = reader.read_all(ComponentKind::kSource, section("sources"));
  file.steps = reader.read_all(ComponentKind::kStep, section("steps"));
  file.sinks = reader.read_all(ComponentKind::kSink, section("sinks"));
  check_references(file, diagnostics);
  return file;
}

}  // namespace weir
