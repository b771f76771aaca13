#include "connectors/kafka/client/log_limiter.h"

namespace weir {

LogLimiter::Answer LogLimiter::ask(std::string_view kind, Time now) {
  std::lock_guard lock(mutex_);
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) {
    kinds_.emplace(std::string(kind), Kind{now});
    return {true, 0};
  }
  Kind& k = found->second;
  if (now - k.last < std::chrono::seconds(10)) return ++k.left_out, Answer{false, 0};
  k.last = now;
  return {true, std::exchange(k.left_out, 0)};
}

}  // namespace weir
