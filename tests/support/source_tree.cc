#include "tests/support/source_tree.h"

namespace weir {

std::filesystem::path source_tree() { return WEIR_SOURCE_DIR; }

}  // namespace weir
