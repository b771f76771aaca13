#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

/// The workloads that are measured, as everything in this folder understands them.
namespace weir::bench {

enum class Workload {
  kFilter,   ///< w1: bids above a price: auction, bidder, price * 0.908, dateTime
  kCopy,     ///< w1p: every bid with all its seven fields
  kWindows,  ///< w2: per bidder and tumbling window of event time: count, sum and max of the price
};

constexpr std::int64_t kPriceFloor = 100'000;      ///< of w1: bids above it pass
constexpr std::int64_t kPriceThousandths = 908;    ///< w1 multiplies prices by so many thousandths
constexpr std::int64_t kWindowMs = 10'000;         ///< size of the windows of w2
constexpr std::int64_t kOutOfOrdernessMs = 1'000;  ///< the watermark of w2 stays so far behind the newest bid

inline std::optional<Workload> workload_of(std::string_view name) {
  if (name == "w1") return Workload::kFilter;
  if (name == "w1p") return Workload::kCopy;
  if (name == "w2") return Workload::kWindows;
  return std::nullopt;
}

}  // namespace weir::bench
