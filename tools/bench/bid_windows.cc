#include "tools/bench/bid_windows.h"

#include <algorithm>

#include "tools/bench/workload.h"

namespace weir::bench {

BidWindows::Row& BidWindows::Table::slot(std::int64_t bidder) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = static_cast<std::uint64_t>(bidder) * 0x9e3779b97f4a7c15 >> 32 & mask;
  while (slots_[i].count > 0 && slots_[i].bidder != bidder) i = (i + 1) & mask;
  return slots_[i];
}

BidWindows::Row& BidWindows::Table::row(std::int64_t bidder) {
  Row& found = slot(bidder);
  if (found.count > 0) return found;
  if (2 * ++used_ <= slots_.size()) return found;
  std::vector<Row> smaller(2 * slots_.size());
  smaller.swap(slots_);
  for (const Row& r : smaller)
    if (r.count > 0) slot(r.bidder) = r;
  return slot(bidder);
}

BidWindows::BidWindows(int partitions) : newest_(static_cast<std::size_t>(partitions), INT64_MIN) {}

void BidWindows::add(int partition, std::int64_t time_ms, std::int64_t bidder, std::int64_t price) {
  std::int64_t& newest = newest_[static_cast<std::size_t>(partition)];
  newest = std::max(newest, time_ms);
  const std::int64_t start = time_ms / kWindowMs * kWindowMs;
  if (start + kWindowMs <= watermark_) return;  // late
  if (start != start_ || !table_) table_ = &tables_[start_ = start];
  Row& row = table_->row(bidder);
  row.max = row.count ? std::max(row.max, price) : price;
  row.bidder = bidder;
  ++row.count;
  row.sum += price;
}

void BidWindows::close(const std::function<void(std::int64_t, const Row&)>& use) {
  const std::int64_t behind = *std::min_element(newest_.begin(), newest_.end());
  if (behind == INT64_MIN) return;
  watermark_ = behind - kOutOfOrdernessMs;
  while (!tables_.empty() && tables_.begin()->first + kWindowMs <= watermark_) {
    for (const Row& row : tables_.begin()->second.rows())
      if (row.count > 0) use(tables_.begin()->first, row);
    tables_.erase(tables_.begin());
    table_ = nullptr;
  }
}

}  // namespace weir::bench
