#include <catch2/catch.hpp>
#include <random>

#include "runtime/exec/watermark_generator.h"

using namespace weir;

namespace {

/// Feeds times to a split; gives the cuts as `row:watermark`.
std::vector<std::string> feed(WatermarkGenerator& g, int split, std::vector<std::int64_t> times) {
  std::vector<WatermarkGenerator::Cut> cuts;
  g.on_rows(split, times, cuts);
  std::vector<std::string> words;
  for (const auto& c : cuts) words.push_back(fmt::format("{}:{}", c.row, c.watermark.micros));
  return words;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("the watermark is the largest time less the disorder less one microsecond") {
  WatermarkGenerator g({.max_out_of_orderness = {10}});
  g.add_split({});
  CHECK(feed(g, 0, {100, 105, 103}) == Words{"3:94"});
  CHECK(feed(g, 0, {104}) == Words{});
}

TEST_CASE("the first row meets no watermark and is never late") {
  WatermarkGenerator g({});
  g.add_split({});
  CHECK(feed(g, 0, {50}) == Words{"1:49"});
}

TEST_CASE("the batch is cut before a row at or behind the watermark of the rows before it") {
  WatermarkGenerator g({});
  g.add_split({});
  CHECK(feed(g, 0, {100, 99, 98, 200, 150}) == Words{"1:99", "4:199"});
  CHECK(g.current() == Timestamp{199});
}

TEST_CASE("rows ahead of the watermark need no cut: nothing that they belong to can have fired") {
  WatermarkGenerator g({});
  g.add_split({});
  CHECK(feed(g, 0, {100, 100, 101, 101}) == Words{"4:100"});
  CHECK(feed(g, 0, {103, 103, 102, 104}) == Words{"2:102", "4:103"});
}

TEST_CASE("in steps the watermark moves only at multiples, also before 1970") {
  WatermarkGenerator g({.step = {100}});
  g.add_split({});
  CHECK(feed(g, 0, {-250}) == Words{"1:-301"});
  CHECK(feed(g, 0, {-220}) == Words{});
  CHECK(feed(g, 0, {150, 90, 120}) == Words{
                                          "1:99",
                                      });
  CHECK(feed(g, 0, {199}) == Words{});
  CHECK(feed(g, 0, {200}) == Words{"1:199"});
}

TEST_CASE("a split that has sent nothing holds the watermark back, one that is idle does not") {
  WatermarkGenerator g({});
  g.add_split({});
  g.add_split({});
  CHECK(feed(g, 0, {100}) == Words{});
  CHECK(g.set_idle(1) == Timestamp{99});
  CHECK(feed(g, 0, {200}) == Words{"1:199"});
  CHECK(feed(g, 1, {150}) == Words{});  // old, but its return does not lower the watermark
  CHECK(g.current() == Timestamp{199});
  CHECK(feed(g, 0, {300}) == Words{});
  CHECK(feed(g, 1, {250}) == Words{"1:249"});
}

TEST_CASE("all splits idle: the watermark stays") {
  WatermarkGenerator g({});
  g.add_split({});
  feed(g, 0, {100});
  CHECK_FALSE(g.set_idle(0));
  CHECK(g.all_idle());
  CHECK(g.current() == Timestamp{99});
}

TEST_CASE("when the last split becomes idle none holds back another, whichever was first") {
  for (const std::vector<int> order : {std::vector<int>{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}}) {
    WatermarkGenerator g({});
    for (int i = 0; i < 4; ++i) g.add_split({});
    feed(g, 0, {100});
    feed(g, 1, {300});
    feed(g, 2, {200});
    feed(g, 3, {900});
    g.set_ended(3);  // does not hold back, and does not pull either
    for (const int split : order) g.set_idle(split);
    CHECK(g.current() == Timestamp{299});
    CHECK(g.reached() == Timestamp{299});
  }
}

TEST_CASE("a split that ends after the others leaves the watermark where it is") {
  WatermarkGenerator g({});
  g.add_split({});
  g.add_split({});
  feed(g, 0, {100});
  feed(g, 1, {300});
  CHECK(g.set_ended(0) == Timestamp{299});
  CHECK_FALSE(g.set_ended(1));
}

TEST_CASE("a restored largest time makes the watermark again") {
  WatermarkGenerator g({.max_out_of_orderness = {5}});
  g.add_split(Timestamp{100});
  CHECK(feed(g, 0, {90, 97}) == Words{"0:94"});
}

TEST_CASE("the watermark for people counts times of before a restore, and idle splits when all are") {
  WatermarkGenerator g({.max_out_of_orderness = {5}});
  CHECK(g.reached() == Timestamp::none());
  g.add_split(Timestamp{100});
  g.add_split(Timestamp{60});
  CHECK(g.reached() == Timestamp{54});
  CHECK(g.current() == Timestamp::none());
  g.add_split({});
  CHECK(g.reached() == Timestamp::none());  // nothing is known of the third
  g.set_idle(2);
  CHECK(g.reached() == Timestamp{54});
  g.set_idle(1);
  CHECK(g.reached() == Timestamp{94});
  g.set_idle(0);
  CHECK(g.reached() == Timestamp{94});  // never falls
}

TEST_CASE("lateness does not depend on the size of batches") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const WatermarkOptions options{.max_out_of_orderness = {static_cast<std::int64_t>(random() % 20)},
                                   .step = {static_cast<std::int64_t>(random() % 3) * 7}};
    struct Arrival {
      int split;
      std::int64_t time;
    };
    std::vector<Arrival> arrivals;
    for (int i = 0; i < 200; ++i)
      arrivals.push_back({static_cast<int>(random() % 2), static_cast<std::int64_t>(i + random() % 40)});
    // For every row: was it at or behind the watermark that downstream had seen when it arrived?
    const auto late_rows = [&](std::size_t batch) {
      WatermarkGenerator g(options);
      g.add_split({}), g.add_split({});
      std::vector<bool> late;
      Timestamp seen = Timestamp::none();
      for (std::size_t i = 0; i < arrivals.size();) {
        std::vector<std::int64_t> times;
        const int split = arrivals[i].split;
        while (i < arrivals.size() && times.size() < batch && arrivals[i].split == split)
          times.push_back(arrivals[i++].time);
        std::vector<WatermarkGenerator::Cut> cuts;
        g.on_rows(split, times, cuts);
        std::size_t row = 0;
        for (const auto& c : cuts) {
          for (; row < static_cast<std::size_t>(c.row); ++row) late.push_back(times[row] <= seen.micros);
          seen = c.watermark;
        }
        for (; row < times.size(); ++row) late.push_back(times[row] <= seen.micros);
      }
      return late;
    };
    const auto exact = late_rows(1);
    CHECK(late_rows(3) == exact);
    CHECK(late_rows(1000) == exact);
  }
}
