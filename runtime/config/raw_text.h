#pragma once
#include <memory>

#include "runtime/config/diagnostics.h"

namespace weir {

/// Checks what must hold before a YAML parser may see the text: not too large, UTF-8, no control characters. Reports every
/// place that is wrong (at most a few); true if all is well.
bool check_raw_text(const std::shared_ptr<const SourceText>& source, Diagnostics& diagnostics);

}  // namespace weir
