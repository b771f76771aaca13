#pragma once
#include <string>
#include <string_view>

namespace weir {

/// Why a sink of this type gives what it gives, in words. `lane`: the transactional id of a checkpoint, where one is known.
std::string guarantee_reason(std::string_view type, std::string_view guarantee, std::string_view lane = {});

}  // namespace weir
