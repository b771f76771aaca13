#include "tools/bench/totals.h"

#include "tools/bench/workload.h"

namespace weir::bench {

std::string Totals::json() const { return fmt::format("[{},{},{},{},{}]", rows, sums[0], sums[1], sums[2], sums[3]); }

void Expectation::add(const EventFacts& event) {
  ++events_;
  if (event.kind != EventKind::kBid) return;
  newest_ = std::max(newest_, event.time_ms);
  if (event.price > kPriceFloor)
    add_filtered(filtered_, event.auction, event.bidder, event.price * kPriceThousandths, event.time_ms);
  add_copied(copied_, event.auction, event.bidder, event.price, event.text_bytes);
  Window& w = windows_[event.time_ms / kWindowMs * kWindowMs][event.bidder];
  w.max = w.count ? std::max(w.max, event.price) : event.price;
  ++w.count;
  w.sum += event.price;
  if (windows_.size() > 2) close_windows(newest_ - kOutOfOrdernessMs);
}

void Expectation::close_windows(std::int64_t until) {
  while (!windows_.empty() && windows_.begin()->first + kWindowMs <= until) {
    for (const auto& [bidder, w] : windows_.begin()->second) windowed_.add(bidder, w.count, w.sum, w.max);
    windows_.erase(windows_.begin());
  }
}

std::string Expectation::json() {
  const std::int64_t until = newest_ - kOutOfOrdernessMs;
  close_windows(until);
  return fmt::format(R"({{"events":{},"until":{},"w1":{},"w1p":{},"w2":{}}})", events_, until, filtered_.json(),
                     copied_.json(), windowed_.json());
}

}  // namespace weir::bench
