#pragma once
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace weir {

/// Lets through the first log line of a kind in ten seconds and counts the others. Thread-safe.
class LogLimiter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// What to do with a line of this kind.
  struct Answer {
    bool write;
    int left_out;  ///< lines of the kind since the last one written
  };
  Answer ask(std::string_view kind, Time now = std::chrono::steady_clock::now());

 private:
  struct Kind {
    Time last;
    int left_out = 0;
  };
  std::mutex mutex_;
  std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace weir
