#include "runtime/graph/event_time.h"

#include "runtime/data/event_time_column.h"

namespace weir {

std::optional<EventTime> bind_event_time(const Component& source, SchemaPtr& schema, Diagnostics& diagnostics) {
  if (!source.config.has("event_time")) return std::nullopt;
  const Config& config = source.config.object("event_time");
  if (!config.usable()) return std::nullopt;
  const Text& column = config.expression("column");
  EventTime result;
  result.max_out_of_orderness = config.duration("max_out_of_orderness");
  result.idle_after = config.duration_unless_never("idle_after");
  result.max_ahead = config.duration_unless_never("max_ahead");
  result.step = result.watermark_step = config.duration("watermark_step");
  result.on_error = read_on_error(source.config);
  auto extended = std::make_shared<Schema>(*schema);
  if (const auto named = schema->find(column.text)) {
    if ((*schema)[*named].type.kind() != TypeKind::kTimestamp) {
      diagnostics.error(
          column.location,
          fmt::format("the event time must be timestamp, but {} is {}", column.text, (*schema)[*named].type.name()),
          "write an expression that makes one, like to_timestamp(seconds)");
      return std::nullopt;
    }
    result.column = *named;
  } else {
    result.expression = bind_expression(column, *schema, Type::timestamp(), "the event time", diagnostics);
    if (!result.expression) return std::nullopt;
    std::vector<Field> fields = schema->fields();
    fields.push_back({kEventTimeColumn, Type::timestamp(), true, true});
    *extended = Schema(std::move(fields));
    result.column = extended->size() - 1;
  }
  extended->set_event_time(result.column);
  schema = std::move(extended);
  return result;
}

}  // namespace weir
