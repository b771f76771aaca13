#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// The files that a path stands for, in order of their names: itself; those of a folder (hidden ones and those of folders
/// within are left out); or those that match a pattern with `*`, `?`, `[ ]`, and `**` alone between slashes for any number
/// of folders (links to folders are followed only where they are named). A pattern matches hidden names only with a point of
/// its own, and gives each path once. Blocks. Throws weir::Error (user) that names `source` when there is no such file or
/// folder, nothing matches, a folder cannot be read, or it is no regular file; an empty folder has none.
std::vector<std::string> input_files(const std::string& source, const std::string& path);

/// What to write instead of a path with `**` that is not alone between slashes; nothing where there is none.
std::optional<std::string> better_pattern(std::string_view path);

}  // namespace weir
