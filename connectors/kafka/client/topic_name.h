#pragma once
#include <string_view>

#include "runtime/config/diagnostics.h"

namespace weir {

/// Reports a name that no topic can have: a broker refuses it for good.
void check_topic_name(std::string_view name, const Location& where, Diagnostics& diagnostics);

}  // namespace weir
