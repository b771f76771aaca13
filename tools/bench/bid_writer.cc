#include "tools/bench/bid_writer.h"

#include <charconv>

#include "tools/bench/clock_text.h"

namespace weir::bench {
namespace {

char* put(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}
char* put(char* to, std::int64_t number) { return std::to_chars(to, to + 20, number).ptr; }

char* put_ids(char* to, const Bid& bid) {
  to = put(put(to, R"({"auction":)"), bid.auction);
  return put(put(to, R"(,"bidder":)"), bid.bidder);
}

}  // namespace

char* write_filtered(char* to, const Bid& bid) {
  to = put(put_ids(to, bid), R"(,"price":)");
  const std::int64_t thousandths = bid.price * kPriceThousandths;
  to = put(to, thousandths / 1000);
  *to++ = '.';
  to = write_digits(to, thousandths % 1000, 3);
  to = put(put(to, R"(,"dateTime":)"), bid.time);
  *to++ = '}';
  return to;
}

char* write_copied(char* to, const Bid& bid) {
  to = put(put(put_ids(to, bid), R"(,"price":)"), bid.price);
  to = put(put(to, R"(,"channel":)"), bid.channel);
  to = put(put(to, R"(,"url":)"), bid.url);
  to = put(put(to, R"(,"dateTime":)"), bid.time);
  to = put(put(to, R"(,"extra":)"), bid.extra);
  *to++ = '}';
  return to;
}

char* write_window(char* to, std::int64_t bidder, std::int64_t start_ms, std::int64_t count, std::int64_t sum,
                   std::int64_t max) {
  to = put(put(to, R"({"bidder":)"), bidder);
  to = write_clock(put(to, R"(,"window_start":")"), start_ms);
  to = put(put(to, R"(","count":)"), count);
  to = put(put(to, R"(,"sum":)"), sum);
  to = put(put(to, R"(,"max":)"), max);
  *to++ = '}';
  return to;
}

}  // namespace weir::bench
