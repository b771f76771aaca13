#include "runtime/api/event_time.h"

namespace weir {

bool bind_event_time(const Component& source, Schema& schema, Diagnostics& diagnostics) {
  if (!source.config.given("event_time")) return true;
  const Text& text = source.config.object("event_time").expression("column");
  if (const auto column = schema.find(text.text)) {
    if (schema[*column].type.kind() != TypeKind::kTimestamp) {
      diagnostics.error(text.location, fmt::format("the event time must be timestamp, not {}", schema[*column].type.name()),
                        fmt::format("write {}: timestamp in the schema", text.text));
      return false;
    }
    schema.set_event_time(*column);
    return true;
  }
  const ExpressionPtr expression = bind_expression(text, schema, Type::timestamp(), "the event time", diagnostics);
  if (!expression) return false;
  if (!expression->as_column()) {
    diagnostics.error(text.location, "an expression as event time is not supported yet", "name a column of the schema");
    return false;
  }
  schema.set_event_time(*expression->as_column());
  return true;
}

}  // namespace weir
