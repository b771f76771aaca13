#pragma once
#include <simdjson.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/bench/workload.h"

namespace weir::bench {

/// The texts are as they stand in the JSON, with their quotes and escapes.
struct Bid {
  std::int64_t auction = 0, bidder = 0, price = 0;
  std::string_view channel, url, time, extra;
};

/// Reads the bid of an event, and of that only what a workload needs.
class BidReader {
 public:
  explicit BidReader(Workload workload) : workload_(workload) {}

  /// False if the event is no bid. The texts live until the next call. Throws simdjson::simdjson_error for other JSON.
  bool read(std::string_view event, Bid& bid);

 private:
  Workload workload_;
  std::vector<char> padded_ = std::vector<char>(4096);
  simdjson::ondemand::parser parser_;
};

/// A JSON token without the white space behind it.
inline std::string_view without_blanks(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

}  // namespace weir::bench
