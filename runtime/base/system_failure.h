#pragma once
#include <string>
#include <system_error>

#include "runtime/base/error.h"

namespace weir {

/// Whose doing a failure of the system with errno `error` is. What passes by itself or with more space (a full disk, a disk
/// or network file system that fails, a limit that is reached) is the environment's; what somebody must change (rights, a
/// wrong path, a read-only file system) the user's. That something is not there (ENOENT) is the environment's: it was there,
/// and was deleted.
Blame blame_of_system_error(int error);

/// The system's reason, and what to do where that is known: "No space left on device; make space on that disk".
std::string system_reason(int error);

/// A call that the system refused with errno `error`, as the end of a job or a command: what is short, and how to get more
/// of it. `what`: as the libraries say it, with the call and the reason.
Error system_failure(int error, const std::string& what);
/// The same, where a thread could not be started.
Error thread_failure(const std::system_error& e);

}  // namespace weir
