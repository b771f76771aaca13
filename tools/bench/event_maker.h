#pragma once
#include <cstdint>
#include <string>

namespace weir::bench {

enum class EventKind { kPerson = 0, kAuction = 1, kBid = 2 };

/// What totals are taken from; only bids have all of it.
struct EventFacts {
  EventKind kind;
  std::int64_t time_ms;  ///< event time, milliseconds since the epoch
  std::int64_t auction = 0, bidder = 0, price = 0;
  std::int64_t text_bytes = 0;  ///< of channel, url and extra
};

/// Makes the events of an auction house as JSON, in the shape of the Nexmark benchmark.
///
/// Of every 50 events one is a person, three are auctions and 46 are bids. An event depends on the seed and its number
/// alone: the same on every run and every machine. Three of four bids come from one bidder at a time, half of them are for
/// one auction at a time; prices are spread evenly over their logarithm, from 100 to 100 million.
class EventMaker {
 public:
  /// `rate` events make a second of event time; event 0 is at `start_ms`.
  EventMaker(std::uint64_t seed, std::uint64_t rate, std::int64_t start_ms)
      : seed_(seed), rate_(rate), start_ms_(start_ms) {}

  /// Writes event `number` to `json`, replacing what is there.
  EventFacts make(std::uint64_t number, std::string& json) const;
  std::int64_t time_ms(std::uint64_t number) const { return start_ms_ + static_cast<std::int64_t>(number * 1000 / rate_); }

 private:
  std::uint64_t seed_, rate_;
  std::int64_t start_ms_;
};

}  // namespace weir::bench
