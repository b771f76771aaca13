#include "runtime/base/machine_memory.h"

#include <fstream>
#include <unistd.h>

namespace weir {

std::uint64_t memory_of_the_machine(const std::filesystem::path& cgroup) {
  std::uint64_t memory = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (const char* file : {"memory.max", "memory/memory.limit_in_bytes"}) {
    std::uint64_t limit = 0;
    std::ifstream in(cgroup / file);
    if (in >> limit && limit > 0 && limit < memory) memory = limit;  // `max`, or no file: no limit
  }
  return memory;
}

}  // namespace weir
