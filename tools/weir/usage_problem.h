#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace weir {

/// The names of an app's commands, in the order in which they were added.
std::vector<std::string> command_names(const CLI::App& app);

/// What is wrong with the command line `words` (without the program's name), which gave `e`, and what to write instead: one
/// line.
std::string usage_problem(const CLI::App& app, const CLI::ParseError& e, const std::vector<std::string>& words);

}  // namespace weir
