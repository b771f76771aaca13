#include "runtime/base/system_failure.h"

#include <sys/resource.h>

#include <cerrno>
#include <string_view>

namespace weir {
namespace {

std::string limit_of_files() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? fmt::format("; the limit is {}", limit.rlim_cur) : "";
}

std::string hint(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT: return "; make space on that disk";
    case EMFILE: return "; raise the limit of open files of this process (ulimit -n, LimitNOFILE)" + limit_of_files();
    case ENFILE: return "; the machine's limit of open files is reached (fs.file-max)";
    case ENOMEM: return "; memory is short: give the process or its container more, or lower `memory`";
    default: return "";
  }
}

}  // namespace

Blame blame_of_system_error(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case EINVAL:
    case ENODEV:
    case ENXIO:
    case ENOSYS:
    case EOPNOTSUPP:
    case EXDEV: return Blame::kUser;
    default: return Blame::kEnvironment;
  }
}

std::string system_reason(int error) { return std::generic_category().message(error) + hint(error); }

Error system_failure(int error, const std::string& what) {
  if (error == EAGAIN) return thread_failure(std::system_error(error, std::generic_category()));
  return Error(blame_of_system_error(error), fmt::format("the system refused a call: {}{}", what, hint(error)));
}

Error thread_failure(const std::system_error& e) {
  return Error(
      Blame::kEnvironment,
      fmt::format("a thread could not be started: raise the limit of processes (ulimit -u, TasksMax) or that of the "
                  "container (pids.max); the system says: {}",
                  e.code().message()));
}

}  // namespace weir
