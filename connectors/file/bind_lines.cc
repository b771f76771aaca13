#include "connectors/file/bind_lines.h"

#include "connectors/formats/formats.h"
#include "runtime/api/event_time.h"

namespace weir {

std::shared_ptr<const LineSourcePlan> bind_lines(const Component& source, Diagnostics& diagnostics) {
  auto format = bind_source_format(source, diagnostics);
  if (!format) return nullptr;
  Schema schema(std::move(format->columns));
  if (!bind_event_time(source, schema, diagnostics)) return nullptr;
  return std::make_shared<const LineSourcePlan>(LineSourcePlan{source.name, std::make_shared<const Schema>(std::move(schema)),
                                                               std::move(format->decoders), format->framing, read_on_error(source.config)});
}

}  // namespace weir
