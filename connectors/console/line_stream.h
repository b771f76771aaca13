#pragma once
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "runtime/api/context.h"

namespace weir {

/// Where all console sinks write: standard output, or another descriptor. What one call writes is not cut by another.
/// Thread-safe.
class LineStream {
 public:
  explicit LineStream(int descriptor) : descriptor_(descriptor) {}

  /// Writes whole lines; waits until all is written. Before the first ones of `sink` (in the life of this object) it writes
  /// `preamble`. A wait that is long is noted in the attempt; when the attempt ends it ends. Throws weir::Error when that
  /// fails: kUser when the reader is gone.
  void write(const AttemptContext& attempt, const std::string& sink, std::string_view preamble, std::string_view lines);
  /// False where it is closed, or was opened for reading alone.
  bool is_writable() const;

 private:
  void write_all(const AttemptContext& attempt, std::string_view bytes);
  void wait_for_reader(const AttemptContext& attempt) const;

  int descriptor_;
  std::mutex mutex_;
  std::set<std::string> begun_;
};

}  // namespace weir
