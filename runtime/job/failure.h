#pragma once
#include <exception>
#include <optional>

#include "runtime/base/error.h"

namespace weir {

/// What ended a job or a command, as an Error: one that was thrown, or what the libraries throw where the system refuses a
/// thread, a descriptor or memory. Anything else is none: a bug.
std::optional<Error> failure_of(std::exception_ptr thrown);

}  // namespace weir
