#include "tools/bench/bid_reader.h"

namespace weir::bench {

bool BidReader::read(std::string_view event, Bid& bid) {
  if (event.size() + simdjson::SIMDJSON_PADDING > padded_.size())
    padded_.resize(2 * event.size() + simdjson::SIMDJSON_PADDING);
  std::memcpy(padded_.data(), event.data(), event.size());
  simdjson::ondemand::document document = parser_.iterate(padded_.data(), event.size(), padded_.size());
  simdjson::ondemand::object whole = document.get_object();
  if (whole.find_field("event_type").get_int64() != static_cast<std::int64_t>(2)) return false;
  simdjson::ondemand::object fields = whole.find_field("bid").get_object();
  const auto text = [&](const char* name) {
    return without_blanks(simdjson::ondemand::value(fields.find_field(name)).raw_json_token());
  };
  bid.auction = fields.find_field("auction").get_int64();
  bid.bidder = fields.find_field("bidder").get_int64();
  bid.price = fields.find_field("price").get_int64();
  if (workload_ == Workload::kCopy) {
    bid.channel = text("channel");
    bid.url = text("url");
  }
  bid.time = text("dateTime");
  if (workload_ == Workload::kCopy) bid.extra = text("extra");
  return true;
}

}  // namespace weir::bench
