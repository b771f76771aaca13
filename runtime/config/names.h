#pragma once
#include <string>
#include <string_view>

#include "runtime/config/diagnostics.h"
#include "runtime/config/node.h"

namespace weir {

/// True for a letter followed by letters, digits, `_` and `-`: what a component may be called.
bool is_component_name(std::string_view text);

/// Checks a key that names a component; reports and returns false where it may not be called so.
bool check_component_name(const Node& key, Diagnostics& diagnostics);

/// The same for the output of a step, which may not be called late, errors or rest.
bool check_output_name(const std::string& name, const Location& where, Diagnostics& diagnostics);

/// Checks the name of a job: like a component's, and dots and a digit in front are allowed.
bool check_job_name(const Text& name, Diagnostics& diagnostics);

}  // namespace weir
