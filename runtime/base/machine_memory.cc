#include "runtime/base/machine_memory.h"

#include <unistd.h>
#include <fstream>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace weir {

std::uint64_t memory_of_the_machine(const std::filesystem::path& cgroup) {
  std::uint64_t memory =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (const char* file : {"memory.max", "memory/memory.limit_in_bytes"}) {
    std::uint64_t limit = 0;
    std::ifstream in(cgroup / file);
    if (in >> limit && limit > 0 && limit < memory) memory = limit;  // `max`, or no file: no limit
  }
  return memory;
}

std::uint64_t resident_memory() {
  std::uint64_t all = 0, resident = 0;
  std::ifstream in("/proc/self/statm");
  in >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void give_memory_back() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace weir
