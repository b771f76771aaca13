#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace weir::bench {

/// Tumbling windows per bidder over partitions whose bids come in order of time: an open-addressing table for each window.
class BidWindows {
 public:
  struct Row {
    std::int64_t bidder, count, sum, max;
  };
  explicit BidWindows(int partitions);

  void add(int partition, std::int64_t time_ms, std::int64_t bidder, std::int64_t price);
  /// Hands the rows of the windows that are over to `use(start_ms, row)` and forgets them.
  void close(const std::function<void(std::int64_t, const Row&)>& use);

 private:
  class Table {
   public:
    Row& row(std::int64_t bidder);
    const std::vector<Row>& rows() const { return slots_; }  ///< those with count 0 are empty

   private:
    Row& slot(std::int64_t bidder);
    std::vector<Row> slots_ = std::vector<Row>(4096);
    std::size_t used_ = 0;
  };

  std::vector<std::int64_t> newest_;  ///< of each partition
  std::map<std::int64_t, Table> tables_;
  std::int64_t start_ = INT64_MIN, watermark_ = INT64_MIN;
  Table* table_ = nullptr;  ///< of the window that begins at start_
};

}  // namespace weir::bench
