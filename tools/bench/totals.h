#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "tools/bench/event_maker.h"

namespace weir::bench {

/// Rows of an output and four sums over their columns: equal totals mean the output is right.
struct Totals {
  std::int64_t rows = 0;
  std::array<std::int64_t, 4> sums{};

  void add(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    ++rows;
    sums[0] += a, sums[1] += b, sums[2] += c, sums[3] += d;
  }
  /// `[rows,a,b,c,d]`.
  std::string json() const;
};

/// w1 sums auction, bidder, the price in thousandths, the time of day.
inline void add_filtered(Totals& to, std::int64_t auction, std::int64_t bidder, std::int64_t thousandths,
                         std::int64_t time_ms) {
  to.add(auction, bidder, thousandths, time_ms % 86'400'000);
}
/// w1p sums auction, bidder, price, the bytes of channel, url and extra.
inline void add_copied(Totals& to, std::int64_t auction, std::int64_t bidder, std::int64_t price, std::int64_t text_bytes) {
  to.add(auction, bidder, price, text_bytes);
}

/// Works out what the workloads must give for events that come in order of time.
class Expectation {
 public:
  void add(const EventFacts& event);
  /// One JSON object: `events`, `until` (ms; w2 counts only windows that end by then), `w1`, `w1p`, `w2`.
  std::string json();

 private:
  struct Window {
    std::int64_t count = 0, sum = 0, max = 0;
  };
  void close_windows(std::int64_t until);

  std::int64_t events_ = 0, newest_ = 0;
  Totals filtered_, copied_, windowed_;
  std::map<std::int64_t, std::unordered_map<std::int64_t, Window>> windows_;  ///< by start, by bidder
};

}  // namespace weir::bench
