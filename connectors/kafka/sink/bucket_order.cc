#include "connectors/kafka/sink/bucket_order.h"

namespace weir {

void BucketOrder::sort(std::span<const std::int32_t> bucket_of_row, std::int32_t buckets) {
  ends_.assign(static_cast<std::size_t>(buckets), 0);
  runs_.clear();
  for (const std::int32_t b : bucket_of_row)
    if (b >= 0) ++ends_[static_cast<std::size_t>(b)];
  std::int32_t begin = 0;
  for (std::int32_t b = 0; b < buckets; ++b) {
    std::int32_t& count = ends_[static_cast<std::size_t>(b)];
    if (count) runs_.push_back({b, begin, begin + count});
    const std::int32_t next = begin + count;
    count = begin;
    begin = next;
  }
  rows_.resize(static_cast<std::size_t>(begin));
  for (std::size_t i = 0; i < bucket_of_row.size(); ++i)
    if (const std::int32_t b = bucket_of_row[i]; b >= 0)
      rows_[static_cast<std::size_t>(ends_[static_cast<std::size_t>(b)]++)] = static_cast<std::int32_t>(i);
}

}  // namespace weir
