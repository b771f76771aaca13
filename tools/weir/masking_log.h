#pragma once
#include <memory>

#include <spdlog/formatter.h>

namespace weir {

/// Lines as `inner` writes them, with every secret of the process masked (runtime/base/secrets.h).
std::unique_ptr<spdlog::formatter> make_masking_formatter(std::unique_ptr<spdlog::formatter> inner);

/// Lines as `inner` writes them, each one line of printable text (runtime/base/printable.h).
std::unique_ptr<spdlog::formatter> make_printable_formatter(std::unique_ptr<spdlog::formatter> inner);

}  // namespace weir
