#pragma once
#include <cstddef>
#include <string_view>

#include "runtime/data/type.h"

namespace weir {

/// The bytes of a value of this type in a key, without the first, which says whether it is null. 0: they vary (texts).
std::size_t key_width(const Type& type);

/// Takes the bytes of one value, null or not, from the front of a key that EncodedKeys wrote (key_codec.h): those of another
/// value are the same where the values are. Throws Error(kRefused) if the bytes are something else.
std::string_view take_key_part(std::string_view& key, const Type& type);

}  // namespace weir
