#pragma once
#include <functional>

namespace weir {

/// Runs `work` in a child process and kills it (SIGKILL) before its system call number `calls`, counted from 0 over those
/// that change files (create, write, fsync, link, rename, delete, …). True if it was killed; false if it was finished
/// before. What the work left on the disk is what a crash at that point leaves.
///
/// Throws std::runtime_error when the child fails or cannot be traced.
bool run_and_kill(const std::function<void()>& work, int calls);

}  // namespace weir
