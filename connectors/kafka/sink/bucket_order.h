#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace weir {

/// Sorts the rows of a batch by bucket (a partition of a topic) and keeps their order within each: a counting sort that
/// allocates only while it grows.
class BucketOrder {
 public:
  /// A run of equal buckets in rows().
  struct Run {
    std::int32_t bucket;
    std::int32_t begin, end;
  };

  /// `bucket_of_row[i]` is in [0, buckets), or negative for a row to leave out.
  void sort(std::span<const std::int32_t> bucket_of_row, std::int32_t buckets);

  /// The row numbers, sorted. Valid until the next sort.
  std::span<const std::int32_t> rows() const { return rows_; }
  /// The runs that are not empty, by rising bucket.
  std::span<const Run> runs() const { return runs_; }

 private:
  std::vector<std::int32_t> rows_, ends_;
  std::vector<Run> runs_;
};

}  // namespace weir
