#include "runtime/api/snapshot.h"

namespace weir {

std::string SplitState::label() const {
  return topic.empty() ? fmt::format("split {}", partition) : fmt::format("{}-{}", topic, partition);
}

}  // namespace weir
