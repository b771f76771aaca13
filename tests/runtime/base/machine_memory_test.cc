#include "runtime/base/machine_memory.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/temporary_folder.h"

using namespace weir;

TEST_CASE("the limit of a container counts where it is less than the machine's memory") {
  const TemporaryFolder cgroup;
  const std::uint64_t machine = memory_of_the_machine(cgroup.path());
  CHECK(machine > (1u << 20));
  std::ofstream(cgroup.path() / "memory.max") << "max\n";
  CHECK(memory_of_the_machine(cgroup.path()) == machine);
  std::ofstream(cgroup.path() / "memory.max") << machine + 1 << "\n";
  CHECK(memory_of_the_machine(cgroup.path()) == machine);
  std::ofstream(cgroup.path() / "memory.max") << "1048576\n";
  CHECK(memory_of_the_machine(cgroup.path()) == 1u << 20);
  std::filesystem::create_directory(cgroup.path() / "memory");
  std::ofstream(cgroup.path() / "memory" / "memory.limit_in_bytes") << "4096\n";
  CHECK(memory_of_the_machine(cgroup.path()) == 4096);
}
