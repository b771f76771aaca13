#include "tools/weir/guarantee_reason.h"

#include <fmt/format.h>

namespace weir {

std::string guarantee_reason(std::string_view type, std::string_view guarantee, std::string_view lane) {
  if (guarantee == "exactly_once" && type == "kafka")
    return fmt::format("one transaction{}{} commits its rows with the checkpoint that holds the positions they came from",
                       lane.empty() ? "" : " of ", lane);
  if (guarantee == "exactly_once")
    return "its part files get their names when the checkpoint is committed that holds the positions they came from";
  if (guarantee == "at_least_once")
    return "all is acknowledged before a checkpoint counts; rows since the last checkpoint come again after a crash";
  return "nothing is waited for";
}

}  // namespace weir
