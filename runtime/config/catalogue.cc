#include "runtime/config/catalogue.h"

#include <utility>

#include "runtime/base/error.h"

namespace weir {

const char* to_string(ComponentKind kind) {
  switch (kind) {
    case ComponentKind::kConnection: return "connection";
    case ComponentKind::kSource: return "source";
    case ComponentKind::kStep: return "step";
    case ComponentKind::kSink: return "sink";
    case ComponentKind::kFormat: return "format";
    case ComponentKind::kSection: return "section";
  }
  return "";
}

void Catalogue::add(Declaration declaration) {
  if (find(declaration.kind, declaration.name))
    throw Error(Blame::kBug, std::string("declared twice: ") + to_string(declaration.kind) + " " + declaration.name);
  all_.push_back(std::move(declaration));
}

void Catalogue::add_not_supported_yet() {
  struct Name {
    ComponentKind kind;
    const char* name;
    const char* summary;
  };
  static constexpr Name kNames[] = {
      {ComponentKind::kConnection, "kafka", "A Kafka cluster."},
      {ComponentKind::kConnection, "schema_registry", "A registry of schemas."},
      {ComponentKind::kSource, "kafka", "Reads topics of a Kafka cluster."},
      {ComponentKind::kSource, "file", "Reads files."},
      {ComponentKind::kSource, "stdin", "Reads standard input."},
      {ComponentKind::kSource, "generator", "Makes rows up."},
      {ComponentKind::kFormat, "json", "One JSON object a row."},
      {ComponentKind::kFormat, "csv", "Comma-separated values."},
      {ComponentKind::kFormat, "raw", "The bytes as they are."},
      {ComponentKind::kFormat, "avro", "Avro, with a schema file or a registry."},
      {ComponentKind::kFormat, "protobuf", "Protocol buffers."},
      {ComponentKind::kFormat, "debezium", "Change events of Debezium."},
      {ComponentKind::kStep, "filter", "Keeps rows for which an expression is true."},
      {ComponentKind::kStep, "select", "Computes columns."},
      {ComponentKind::kStep, "aggregate", "Groups rows by keys and windows."},
      {ComponentKind::kStep, "dedup", "Keeps one row a key."},
      {ComponentKind::kStep, "top", "Keeps the first rows of an order."},
      {ComponentKind::kStep, "over", "Adds columns computed over the rows of a key up to each row."},
      {ComponentKind::kStep, "join", "Joins two inputs."},
      {ComponentKind::kStep, "union", "Puts inputs of one schema together."},
      {ComponentKind::kStep, "unnest", "Makes a row of each element of an array."},
      {ComponentKind::kStep, "route", "Sends rows to named outputs."},
      {ComponentKind::kStep, "rebalance", "Spreads rows over all tasks."},
      {ComponentKind::kStep, "sql", "A whole SELECT over named inputs."},
      {ComponentKind::kSink, "kafka", "Writes to a topic of a Kafka cluster."},
      {ComponentKind::kSink, "file", "Writes files into a folder."},
      {ComponentKind::kSink, "console", "Writes rows to standard output."},
      {ComponentKind::kSink, "discard", "Drops rows, for measuring."},
  };
  for (const Name& n : kNames) {
    if (find(n.kind, n.name)) continue;
    Declaration declaration;
    declaration.kind = n.kind;
    declaration.name = n.name;
    declaration.summary = n.summary;
    declaration.supported = false;
    all_.push_back(std::move(declaration));
  }
}

const Declaration* Catalogue::find(ComponentKind kind, std::string_view name) const {
  for (const Declaration& declaration : all_)
    if (declaration.kind == kind && declaration.name == name) return &declaration;
  return nullptr;
}

std::vector<std::string> Catalogue::names(ComponentKind kind, bool only_supported) const {
  std::vector<std::string> out;
  for (const Declaration& declaration : all_)
    if (declaration.kind == kind && (declaration.supported || !only_supported)) out.push_back(declaration.name);
  return out;
}

}  // namespace weir
