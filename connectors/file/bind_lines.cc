#include "connectors/file/bind_lines.h"

#include "connectors/formats/formats.h"

namespace weir {

std::shared_ptr<const LineSourcePlan> bind_lines(const Component& source, Diagnostics& diagnostics) {
  auto format = bind_source_format(source, diagnostics);
  if (!format) return nullptr;
  return std::make_shared<const LineSourcePlan>(
      LineSourcePlan{source.name, std::make_shared<const Schema>(std::move(format->columns)), std::move(format->decoders),
                     format->framing, read_on_error(source.config)});
}

}  // namespace weir
