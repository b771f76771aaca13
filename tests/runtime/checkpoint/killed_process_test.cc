#include "tests/runtime/checkpoint/killed_process.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <set>
#include <stdexcept>

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

int wait_for(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("the child is gone");
  return status;
}

void kill_and_reap(pid_t child) {
  ::kill(child, SIGKILL);
  while (!WIFSIGNALED(wait_for(child))) {
  }
}

bool enters_call_that_changes_files(pid_t child) {
  __ptrace_syscall_info info{};
  if (::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0)
    throw std::runtime_error("the child's call cannot be read");
  static const std::set<std::uint64_t> changing{
      SYS_write,  SYS_pwrite64,  SYS_fsync,    SYS_fdatasync, SYS_ftruncate,
      SYS_linkat, SYS_renameat2, SYS_renameat, SYS_unlinkat,  SYS_mkdirat,
#ifdef __x86_64__
      SYS_link,   SYS_rename,    SYS_unlink,   SYS_rmdir,     SYS_mkdir,
#endif
  };
  if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return false;
  return changing.contains(info.entry.nr) || (info.entry.nr == SYS_openat && (info.entry.args[2] & O_CREAT) != 0);
}

[[noreturn]] void run_child(const std::function<void()>& work) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(3);
  ::raise(SIGSTOP);
  try {
    work();
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    ::_exit(2);
  }
  ::_exit(0);
}

}  // namespace

bool run_and_kill(const std::function<void()>& work, int calls) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) run_child(work);
  if (!WIFSTOPPED(wait_for(child))) throw std::runtime_error("the child cannot be traced");
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  for (;;) {
    if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0)
      throw std::runtime_error("the child cannot be traced further");
    const int status = wait_for(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return false;
    if (!WIFSTOPPED(status)) throw std::runtime_error(fmt::format("the child failed: {}", status));
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
    if (enters_call_that_changes_files(child) && calls-- == 0) {
      kill_and_reap(child);
      return true;
    }
  }
}

TEST_CASE("a process is killed before the system call that was asked for") {
  const TemporaryFolder folder;
  const auto work = [&] {
    folder.write("first", "1");
    folder.write("second", "2");
  };
  int calls = 0;
  bool first_alone = false;
  while (run_and_kill(work, calls++)) {
    const bool first = std::filesystem::exists(folder / "first"), second = std::filesystem::exists(folder / "second");
    CHECK((first || !second));
    first_alone |= first && !second;
    std::filesystem::remove(folder / "first");
    std::filesystem::remove(folder / "second");
    REQUIRE(calls < 10'000);
  }
  CHECK(first_alone);
  CHECK(read_file(folder / "second") == "2");
}

}  // namespace weir
