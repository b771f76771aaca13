#include "runtime/api/context.h"

#include "runtime/base/error.h"

namespace weir {

StateTableId TaskContext::table(const std::string& table_name) const {
  const std::string full = name + "/" + table_name;
  const std::vector<std::string>& tables = attempt->state->tables();
  for (std::size_t i = 0; i < tables.size(); ++i)
    if (tables[i] == full) return {static_cast<std::uint32_t>(i)};
  throw Error(Blame::kBug, "a step uses a state table that it did not declare: " + full);
}

Timestamp TaskContext::restored_watermark() const {
  const auto found = attempt->restored_watermarks.find(name);
  return found == attempt->restored_watermarks.end() ? Timestamp::none() : found->second;
}

}  // namespace weir
