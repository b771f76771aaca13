#include "runtime/api/united_inputs.h"

namespace weir {
namespace {

std::string label(const BoundInput& input) {
  return input.output.empty() ? input.component : input.component + "." + input.output;
}

std::string describe(const Field& f) { return f.name + " " + f.type.name(); }

/// How `other` differs from `first`; empty if it does not.
std::string difference(const Schema& first, const Schema& other) {
  for (int i = 0; i < std::min(first.size(), other.size()); ++i) {
    if (first[i].name != other[i].name || !(first[i].type == other[i].type))
      return fmt::format("column {} is {}, not {}", i + 1, describe(other[i]), describe(first[i]));
  }
  if (first.size() > other.size()) return fmt::format("it lacks {}", describe(first[other.size()]));
  if (first.size() < other.size()) return fmt::format("it also has {}", describe(other[first.size()]));
  return {};
}

}  // namespace

SchemaPtr unite(const std::vector<BoundInput>& inputs, Diagnostics& diagnostics) {
  const Schema& first = *inputs.front().schema;
  std::vector<Field> fields = first.fields();
  std::optional<int> event_time = first.event_time();
  // Two changelogs may have rows of one key, and the branches of one mix anew: its changes of a key come in no order then.
  const bool keyed = inputs.size() == 1;
  bool changelog = first.changelog(), same = keyed || first.keys().empty(), good = true;
  for (std::size_t n = 1; n < inputs.size(); ++n) {
    const Schema& other = *inputs[n].schema;
    if (const std::string text = difference(first, other); !text.empty()) {
      diagnostics.error(inputs[n].location,
                        fmt::format("'{}' does not have the columns of '{}': {}", label(inputs[n]), label(inputs[0]), text),
                        "bring all inputs to the same names and types in the same order with select");
      good = false;
      continue;
    }
    same = same && other == first;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      fields[i].nullable |= other.fields()[i].nullable;
      fields[i].metadata &= other.fields()[i].metadata;
    }
    if (other.event_time() != event_time) event_time.reset();
    changelog |= other.changelog();
  }
  if (!good) return nullptr;
  if (same) return inputs.front().schema;
  Schema united(std::move(fields));
  united.set_event_time(event_time);
  united.set_changelog(changelog);
  return std::make_shared<const Schema>(std::move(united));
}

BatchPtr conform(BatchPtr batch, const SchemaPtr& united) {
  if (batch->schema() == united) return batch;
  std::vector<RowKind> kinds(batch->kinds().begin(), batch->kinds().end());
  if (united->changelog() && kinds.empty()) kinds.assign(static_cast<std::size_t>(batch->rows()), RowKind::kInsert);
  return std::make_shared<const RecordBatch>(united, batch->columns(), batch->rows(), std::move(kinds));
}

}  // namespace weir
