#pragma once
#include <cstdint>
#include <filesystem>

namespace weir {

/// The memory that this process may use, in bytes: the machine's, or the limit of its container where that is less.
/// `cgroup`: where the control group's files are; version 2 (memory.max) and 1 (memory/memory.limit_in_bytes).
std::uint64_t memory_of_the_machine(const std::filesystem::path& cgroup = "/sys/fs/cgroup");

/// The memory that this process has in pages (RSS), in bytes; 0 where the system does not say.
std::uint64_t resident_memory();

/// Gives pages that hold nothing back to the system: the allocator keeps some megabytes of them for each thread. Takes
/// milliseconds, during which other threads may wait for memory.
void give_memory_back();

}  // namespace weir
