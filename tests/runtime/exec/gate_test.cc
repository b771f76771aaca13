#include <catch2/catch.hpp>
#include <set>

#include "runtime/exec/input_gate.h"
#include "tests/support/batches.h"

using namespace weir;

namespace {

/// A gate over channels that the test fills; says what came out as short words: `3@0` (rows@input), `W10`, `B2`, `idle`,
/// `end@0` (of an input), `end`.
struct GateFixture {
  explicit GateFixture(int channels, int channels_an_input = 1) {
    std::vector<InputGate::Source> sources;
    for (int c = 0; c < channels; ++c) {
      this->channels.push_back(std::make_shared<Channel>(8));
      sources.push_back({this->channels.back(), c / channels_an_input});
    }
    gate = std::make_unique<InputGate>(std::move(sources), [this](int input) { return !unwanted.contains(input); });
  }
  void rows(int channel, int n) {
    std::vector<std::string> texts;
    for (int i = 0; i < n; ++i) texts.push_back(std::to_string(i));
    REQUIRE(channels[static_cast<std::size_t>(channel)]->try_push(batch_of(schema, texts)));
  }
  void control(int channel, Element e) { channels[static_cast<std::size_t>(channel)]->push_control(std::move(e)); }

  std::string next() {
    InputGate::Merged merged;
    const InputStatus status = gate->poll_next(merged);
    if (status == InputStatus::kNothingAvailable) return "nothing";
    if (status == InputStatus::kEndOfInput) return "end";
    if (auto* batch = std::get_if<BatchPtr>(&merged.element)) return fmt::format("{}@{}", (*batch)->rows(), merged.input);
    if (auto* w = std::get_if<Watermark>(&merged.element)) return fmt::format("W{}", w->time.micros);
    if (auto* b = std::get_if<Barrier>(&merged.element)) return fmt::format("B{}", b->epoch.value);
    if (std::holds_alternative<InputEnd>(merged.element)) return fmt::format("end@{}", merged.input);
    return std::holds_alternative<Idle>(merged.element) ? "idle" : "?";
  }
  std::vector<std::string> all() {
    std::vector<std::string> words;
    while (words.empty() || (words.back() != "nothing" && words.back() != "end")) words.push_back(next());
    return words;
  }
  using Words = std::vector<std::string>;

  SchemaPtr schema = schema_of("id bigint");
  std::set<int> unwanted;  ///< inputs
  std::vector<std::shared_ptr<Channel>> channels;
  std::unique_ptr<InputGate> gate;
};

}  // namespace

TEST_CASE("nothing sent after a barrier is seen before the snapshot") {
  GateFixture g(2);
  g.rows(0, 1);
  g.control(0, Barrier{{1}});
  g.rows(0, 2);
  g.rows(1, 3);
  CHECK(g.all() == GateFixture::Words{"1@0", "3@1", "nothing"});
  g.rows(1, 4);
  CHECK(g.all() == GateFixture::Words{"4@1", "nothing"});
  g.control(1, Barrier{{1}});
  CHECK(g.all() == GateFixture::Words{"B1", "2@0", "nothing"});
}

TEST_CASE("channels are read in turn") {
  GateFixture g(2);
  g.rows(0, 1), g.rows(0, 2), g.rows(1, 3), g.rows(1, 4);
  CHECK(g.all() == GateFixture::Words{"1@0", "3@1", "2@0", "4@1", "nothing"});
}

TEST_CASE("watermarks are merged by minimum") {
  GateFixture g(2);
  g.control(0, Watermark{{10}});
  CHECK(g.all() == GateFixture::Words{"nothing"});
  g.control(1, Watermark{{7}});
  CHECK(g.all() == GateFixture::Words{"W7", "nothing"});
  g.control(1, Watermark{{20}});
  CHECK(g.all() == GateFixture::Words{"W10", "nothing"});
}

TEST_CASE("an idle channel lets the watermark of the others through") {
  GateFixture g(2);
  g.control(0, Watermark{{10}});
  g.control(1, Idle{});
  CHECK(g.all() == GateFixture::Words{"W10", "nothing"});
  g.control(0, Idle{});
  CHECK(g.all() == GateFixture::Words{"idle", "nothing"});
}

TEST_CASE("the end comes once all channels ended, and after the barrier that an end completes") {
  GateFixture g(2);
  g.control(0, Barrier{{3}});
  g.control(0, End{});
  g.rows(1, 1);
  g.control(1, End{});
  CHECK(g.all() == GateFixture::Words{"1@1", "end@1", "B3", "end"});
}

TEST_CASE("a finished channel does not hold up later barriers") {
  GateFixture g(2);
  g.control(1, End{});
  g.control(0, Barrier{{1}});
  g.rows(0, 2);
  g.control(0, Barrier{{2}});
  g.control(0, End{});
  CHECK(g.all() == GateFixture::Words{"end@1", "B1", "2@0", "B2", "end"});
}

TEST_CASE("an input ends when all its channels did, before the watermark that its end lets through") {
  GateFixture g(4, 2);
  g.control(0, End{});
  CHECK(g.all() == GateFixture::Words{"nothing"});
  g.control(2, Watermark{{7}}), g.control(3, Watermark{{9}});
  g.control(1, Watermark{{5}});
  CHECK(g.all() == GateFixture::Words{"W5", "nothing"});
  g.control(1, End{});
  g.rows(2, 1);
  CHECK(g.all() == GateFixture::Words{"end@0", "W7", "1@1", "nothing"});
  g.control(2, End{});
  CHECK(g.all() == GateFixture::Words{"W9", "nothing"});
  g.control(3, End{});
  CHECK(g.all() == GateFixture::Words{"end"});
}

TEST_CASE("rows of an input that is not wanted wait, and are there when it is") {
  GateFixture g(2);
  g.unwanted = {1};
  g.rows(0, 1), g.rows(1, 2), g.rows(0, 3), g.rows(1, 4);
  CHECK(g.all() == GateFixture::Words{"1@0", "3@0", "nothing"});
  g.unwanted = {0};
  g.rows(0, 5);
  CHECK(g.all() == GateFixture::Words{"2@1", "4@1", "nothing"});
  g.unwanted = {};
  CHECK(g.all() == GateFixture::Words{"5@0", "nothing"});
}

TEST_CASE("of an input that is not wanted watermark, idleness and end come, unless they stand behind rows") {
  GateFixture g(2);
  g.unwanted = {1};
  g.control(0, Watermark{{9}});
  g.control(1, Watermark{{4}});
  CHECK(g.all() == GateFixture::Words{"W4", "nothing"});
  g.rows(1, 1);
  g.control(1, Watermark{{6}});
  CHECK(g.all() == GateFixture::Words{"nothing"});
  g.unwanted = {};
  CHECK(g.all() == GateFixture::Words{"1@1", "W6", "nothing"});
  g.unwanted = {1};
  g.control(1, Idle{});
  CHECK(g.all() == GateFixture::Words{"W9", "nothing"});
  g.control(1, End{});
  CHECK(g.all() == GateFixture::Words{"end@1", "nothing"});
}

TEST_CASE("a barrier that waits for an input fetches the rows in front of its own, wanted or not, and no further ones") {
  GateFixture g(2);
  g.unwanted = {0};
  g.rows(0, 1), g.rows(0, 2);
  g.control(0, Barrier{{1}});
  g.rows(0, 3);
  g.rows(1, 4);
  CHECK(g.all() == GateFixture::Words{"4@1", "nothing"});
  g.control(1, Barrier{{1}});
  g.rows(1, 5);
  CHECK(g.all() == GateFixture::Words{"1@0", "2@0", "B1", "5@1", "nothing"});
}

TEST_CASE("a channel refuses batches without credit, and takes control elements") {
  Channel channel(2);
  int readable = 0, writable = 0;
  channel.set_wakers([&] { ++readable; }, [&] { ++writable; });
  const BatchPtr batch = batch_of(schema_of("id bigint"), {"1"});
  CHECK(channel.try_push(batch));
  CHECK(readable == 1);
  CHECK(channel.try_push(batch));
  CHECK_FALSE(channel.try_push(batch));
  channel.push_control(Barrier{{1}});
  CHECK(writable == 0);
  REQUIRE(channel.pop());
  CHECK(writable == 1);
  CHECK(channel.try_push(batch));
  CHECK(std::holds_alternative<BatchPtr>(*channel.pop()));
  CHECK(std::holds_alternative<Barrier>(*channel.pop()));
  CHECK(std::holds_alternative<BatchPtr>(*channel.pop()));
  CHECK_FALSE(channel.pop());
}

TEST_CASE("a watermark replaces the one before it, but not across a batch or a barrier") {
  Channel channel(2);
  channel.push_control(Watermark{{1}});
  channel.push_control(Watermark{{2}});
  channel.push_control(Barrier{{1}});
  channel.push_control(Watermark{{3}});
  CHECK(std::get<Watermark>(*channel.pop()).time == Timestamp{2});
  CHECK(std::holds_alternative<Barrier>(*channel.pop()));
  CHECK(std::get<Watermark>(*channel.pop()).time == Timestamp{3});
  CHECK_FALSE(channel.pop());
}
