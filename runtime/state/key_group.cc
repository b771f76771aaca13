#include "runtime/state/key_group.h"

#include <xxhash.h>

namespace weir {

std::uint64_t key_hash(std::string_view key) { return XXH3_64bits(key.data(), key.size()); }

}  // namespace weir
