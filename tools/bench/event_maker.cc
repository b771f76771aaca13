#include "tools/bench/event_maker.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "tools/bench/clock_text.h"

namespace weir::bench {
namespace {

constexpr std::uint64_t kRound = 50, kAuctionsOfRound = 3;  // a round: one person, three auctions, 46 bids
constexpr std::uint64_t kFirstId = 1000;
constexpr std::uint64_t kRecentPersons = 1000, kRecentAuctions = 100;  // whom the bids that follow no fashion choose from
constexpr std::uint64_t kFashion = 100;                                // how many persons or auctions share one favourite

/// An endless row of numbers for one event (a counter through the finaliser of MurmurHash3).
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t number) : state_(mix(seed + 0x2545f4914f6cdd1d) ^ mix(number)) {}
  std::uint64_t roll() { return mix(state_ += 0x9e3779b97f4a7c15); }
  std::uint64_t below(std::uint64_t n) { return roll() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
    return x ^ x >> 33;
  }
  std::uint64_t state_;
};

/// 20 octaves from 100 upwards, each as likely, even within.
std::uint64_t price(Dice& dice) {
  const std::uint64_t roll = dice.roll(), octave = std::uint64_t{100} << (roll >> 40) % 20;
  return octave + (octave * (roll & 0xffffffff) >> 32);
}

class Writer {
 public:
  Writer(std::string& out, Dice& dice) : out_(out), dice_(dice) { out_.clear(); }
  Writer& operator<<(std::string_view text) { return out_ += text, *this; }
  Writer& operator<<(std::uint64_t number) {
    char digits[20];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    return *this;
  }
  Writer& time(std::int64_t ms) {
    char text[kClockTextSize];
    out_.append(text, write_clock(text, ms));
    return *this;
  }
  Writer& letters(std::uint64_t least, std::uint64_t most) {
    std::uint64_t left = least + dice_.below(most - least + 1);
    while (left > 0) {
      std::uint64_t bits = dice_.roll();
      for (int i = 0; i < 10 && left > 0; ++i, --left, bits >>= 6) out_ += static_cast<char>('a' + bits % 64 % 26);
    }
    return *this;
  }
  template <std::size_t N>
  Writer& one_of(const std::string_view (&choices)[N]) {
    return *this << choices[dice_.below(N)];
  }

 private:
  std::string& out_;
  Dice& dice_;
};

std::uint64_t recent(std::uint64_t newest, std::uint64_t how_many, Dice& dice) {
  return newest - dice.below(std::min(newest + 1, how_many));
}

std::uint64_t any_person(std::uint64_t round, Dice& dice) {
  const std::uint64_t favourite = round - round % kFashion;
  return kFirstId + (dice.one_in(4) ? recent(round, kRecentPersons, dice) : favourite);
}

std::uint64_t any_auction(std::uint64_t round, Dice& dice) {
  const std::uint64_t newest = (round + 1) * kAuctionsOfRound - 1, favourite = newest - newest % kFashion;
  return kFirstId + (dice.one_in(2) ? recent(newest, kRecentAuctions, dice) : favourite);
}

void write_person(Writer& w, std::uint64_t id, std::int64_t time_ms, Dice& dice) {
  static constexpr std::string_view kFirstNames[] = {"Ada",   "Alan", "Barbara", "Edsger",
                                                     "Grace", "John", "Leslie",  "Niklaus"};
  static constexpr std::string_view kLastNames[] = {"Hopper", "Lamport", "Liskov",  "Lovelace",
                                                    "Turing", "Wirth",   "Dijkstra"};
  static constexpr std::string_view kCities[] = {"Boise", "Cheyenne", "Kent", "Phoenix", "Portland", "Redmond", "Seattle"};
  static constexpr std::string_view kStates[] = {"AZ", "CA", "ID", "OR", "WA", "WY"};
  w << R"({"event_type":0,"person":{"id":)" << id << R"(,"name":")";
  w.one_of(kFirstNames) << " ";
  w.one_of(kLastNames) << R"(","emailAddress":")";
  w.letters(4, 9) << "@";
  w.letters(4, 8) << R"(.org","creditCard":")" << 1000 + dice.below(9000) << " " << 1000 + dice.below(9000) << " "
                  << 1000 + dice.below(9000) << " " << 1000 + dice.below(9000) << R"(","city":")";
  w.one_of(kCities) << R"(","state":")";
  w.one_of(kStates) << R"(","dateTime":")";
  w.time(time_ms) << R"(","extra":")";
  w.letters(40, 80) << R"("},"auction":null,"bid":null})";
}

void write_auction(Writer& w, std::uint64_t id, std::uint64_t seller, std::int64_t time_ms, Dice& dice) {
  const std::uint64_t initial = price(dice), reserve = initial + price(dice);
  w << R"({"event_type":1,"person":null,"auction":{"id":)" << id << R"(,"itemName":")";
  w.letters(8, 20) << R"(","description":")";
  w.letters(40, 110) << R"(","initialBid":)" << initial << R"(,"reserve":)" << reserve << R"(,"dateTime":")";
  w.time(time_ms) << R"(","expires":")";
  w.time(time_ms + 1 + static_cast<std::int64_t>(dice.below(600'000)))
      << R"(","seller":)" << seller << R"(,"category":)" << 10 + dice.below(5) << R"(,"extra":")";
  w.letters(90, 200) << R"("},"bid":null})";
}

/// Returns how many bytes of text it holds in channel, url and extra. `so_far` is the JSON being written.
std::int64_t write_bid(Writer& w, const EventFacts& bid, Dice& dice, const std::string& so_far) {
  static constexpr std::string_view kChannels[] = {"Apple", "Baidu", "Facebook", "Google"};
  const bool small_channel = dice.one_in(2);
  const std::uint64_t channel = dice.below(10'000);
  w << R"({"event_type":2,"person":null,"auction":null,"bid":{"auction":)" << static_cast<std::uint64_t>(bid.auction)
    << R"(,"bidder":)" << static_cast<std::uint64_t>(bid.bidder) << R"(,"price":)" << static_cast<std::uint64_t>(bid.price);
  std::size_t from = 0;
  const auto text = [&](std::string_view name) { w << name, from = so_far.size(); };
  const auto bytes = [&] { return static_cast<std::int64_t>(so_far.size() - from); };
  text(R"(,"channel":")");
  if (small_channel) w << "channel-" << channel;
  else w.one_of(kChannels);
  std::int64_t sum = bytes();
  text(R"(","url":"https://auctions.example.org/)");
  from -= std::string_view("https://auctions.example.org/").size();
  w.letters(5, 5) << "/";
  w.letters(5, 5) << "/item.htm?query=1";
  if (small_channel) w << "&channel_id=" << channel;
  sum += bytes();
  w << R"(","dateTime":")";
  w.time(bid.time_ms);
  text(R"(","extra":")");
  w.letters(10, 60);
  sum += bytes();
  w << R"("}})";
  return sum;
}

}  // namespace

EventFacts EventMaker::make(std::uint64_t number, std::string& json) const {
  Dice dice(seed_, number);
  Writer w(json, dice);
  const std::uint64_t round = number / kRound, place = number % kRound;
  EventFacts facts{.kind = EventKind::kBid, .time_ms = time_ms(number)};
  if (place == 0) {
    facts.kind = EventKind::kPerson;
    write_person(w, kFirstId + round, facts.time_ms, dice);
  } else if (place <= kAuctionsOfRound) {
    facts.kind = EventKind::kAuction;
    const std::uint64_t seller = any_person(round, dice);
    write_auction(w, kFirstId + round * kAuctionsOfRound + place - 1, seller, facts.time_ms, dice);
  } else {
    facts.auction = static_cast<std::int64_t>(any_auction(round, dice));
    facts.bidder = static_cast<std::int64_t>(any_person(round, dice));
    facts.price = static_cast<std::int64_t>(price(dice));
    facts.text_bytes = write_bid(w, facts, dice, json);
  }
  return facts;
}

}  // namespace weir::bench
