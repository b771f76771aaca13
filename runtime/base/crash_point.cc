#include "runtime/base/crash_point.h"

#include <unistd.h>
#include <csignal>
#include <cstdlib>

namespace weir {

namespace {

struct CrashAt {
  std::string name;
  std::atomic<int> left{0};

  CrashAt() {
    const char* wanted = std::getenv("WEIR_CRASH_AT");
    if (!wanted) return;
    name = wanted;
    left = 1;
    if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
      left = std::atoi(name.c_str() + colon + 1);
      name.resize(colon);
    }
  }
};

}  // namespace

void crash_point(std::string_view name) {
  static CrashAt at;
  if (at.name.empty() || at.name != name) return;
  if (--at.left == 0) kill(getpid(), SIGKILL);
}

int slow_task_milliseconds(std::string_view sink, int task) {
  static const std::string wanted = std::getenv("WEIR_SLOW_TASK") ? std::getenv("WEIR_SLOW_TASK") : "";
  const std::size_t colon = wanted.find(':');
  if (wanted.empty() || task != 0 || colon == std::string::npos || std::string_view(wanted).substr(0, colon) != sink)
    return 0;
  return std::atoi(wanted.c_str() + colon + 1);
}

}  // namespace weir
