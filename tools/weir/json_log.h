#pragma once
#include <spdlog/formatter.h>
#include <memory>

namespace weir {

/// One JSON object a line: time, level, message.
std::unique_ptr<spdlog::formatter> make_json_formatter();

}  // namespace weir
