#pragma once
#include <algorithm>
#include <cstdint>

#include "runtime/api/context.h"

namespace weir {

/// How many rows a reader puts into its next batch: no more than AttemptContext::batch_rows, nor than make up batch_bytes if
/// they are like those of the last batch. The first batch is a small one.
class BatchSize {
 public:
  explicit BatchSize(const AttemptContext& attempt)
      : most_rows_(std::max(1, attempt.batch_rows)),
        bytes_(std::max<std::size_t>(1, attempt.batch_bytes)),
        row_bytes_(bytes_ / kFirst) {}

  std::int64_t next() const {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(bytes_ / std::max<std::size_t>(1, row_bytes_)), 1, most_rows_);
  }
  /// There was a batch of so many rows and bytes.
  void made(std::size_t rows, std::size_t bytes) {
    if (rows > 0) row_bytes_ = bytes / rows;
  }

 private:
  static constexpr std::size_t kFirst = 64;
  std::int64_t most_rows_;
  std::size_t bytes_, row_bytes_;
};

}  // namespace weir
