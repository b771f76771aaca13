#pragma once
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace weir {

/// Where all console sinks write: standard output, or another descriptor. What one call writes is not cut by another.
/// Thread-safe.
class LineStream {
 public:
  explicit LineStream(int descriptor) : descriptor_(descriptor) {}

  /// Writes whole lines; waits until all is written. Before the first ones of `sink` (in the life of this object) it writes
  /// `preamble`. Throws weir::Error when that fails: kUser when the reader is gone.
  void write(const std::string& sink, std::string_view preamble, std::string_view lines);

 private:
  void write_all(std::string_view bytes);

  int descriptor_;
  std::mutex mutex_;
  std::set<std::string> begun_;
};

}  // namespace weir
