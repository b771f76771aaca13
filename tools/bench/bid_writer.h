#pragma once
#include "tools/bench/bid_reader.h"

/// Output rows as JSON, written by hand. Each takes where to write and returns the end.
namespace weir::bench {

/// No row of w1 and w2, and no row of w1p without the bytes of its texts, is longer.
constexpr std::size_t kRowSize = 256;

char* write_filtered(char* to, const Bid& bid);
char* write_copied(char* to, const Bid& bid);
char* write_window(char* to, std::int64_t bidder, std::int64_t start_ms, std::int64_t count, std::int64_t sum,
                   std::int64_t max);

}  // namespace weir::bench
