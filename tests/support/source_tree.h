#pragma once

#include <filesystem>

namespace weir {

/// The root of the source tree, where tests find their data (`tests/`) and the scripts (`tools/`).
///
/// Only the file that implements this knows the absolute path, so that ccache finds all others again in another clone.
std::filesystem::path source_tree();

}  // namespace weir
