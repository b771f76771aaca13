#include <catch2/catch.hpp>
#include <thread>

#include "runtime/exec/chain.h"
#include "runtime/exec/key_groups.h"
#include "tests/support/batches.h"

using namespace weir;

namespace {

const SchemaPtr kSchema = schema_of("id bigint");

BatchPtr rows(int n) {
  std::vector<std::string> texts;
  for (int i = 0; i < n; ++i) texts.push_back(std::to_string(i));
  return batch_of(kSchema, texts);
}

/// Passes everything on, and logs it; answers as the test says.
class LoggingOperator final : public Operator {
 public:
  explicit LoggingOperator(std::vector<std::string>& log) : log_(log) {}
  Progress process(int, BatchPtr batch, Output& out) override {
    log_.push_back(fmt::format("rows {}", batch->rows()));
    out.emit(0, batch);
    return std::exchange(answer, Progress::kDone);
  }
  Progress on_barrier(Epoch epoch, Output&) override {
    log_.push_back(fmt::format("barrier {}", epoch.value));
    return std::exchange(answer, Progress::kDone);
  }
  Progress on_input_end(int input, Output&) override {
    log_.push_back(fmt::format("end of input {}", input));
    return std::exchange(answer, Progress::kDone);
  }
  Progress on_end(Output&) override {
    log_.push_back("end");
    return std::exchange(answer, Progress::kDone);
  }
  Progress on_wake(Output& out) override {
    log_.push_back("wake");
    if (rows_at_wake > 0) out.emit(0, rows(rows_at_wake));
    return std::exchange(answer, Progress::kDone);
  }
  Progress resume(Output&) override {
    log_.push_back("resume");
    return std::exchange(answer, Progress::kDone);
  }
  void snapshot(TaskSnapshot&) override { log_.push_back("snapshot"); }
  Progress answer = Progress::kDone;
  int rows_at_wake = 0;

 private:
  std::vector<std::string>& log_;
};

struct Listener final : ChainListener {
  void passed_barrier(Epoch epoch) override { log.push_back(fmt::format("passed {}", epoch.value)); }
  void passed_end() override { log.push_back("passed end"); }
  TaskSnapshot& barrier_snapshot() override { return snapshot; }
  TaskSnapshot& final_snapshot() override { return final; }
  std::vector<std::string> log;
  TaskSnapshot snapshot, final;
};

struct ChainFixture {
  ChainFixture() {
    auto op = std::make_unique<LoggingOperator>(listener.log);
    first = op.get();
    a = std::make_unique<ChainNode>(std::move(op), 1, counters, listener);
    channel = std::make_shared<Channel>(1);
    out = std::make_unique<ChannelTarget>(Exchange{}, std::vector{channel}, 0);
    a->ports().connect(0, *out, 0);
  }
  TaskCounters counters;
  Listener listener;
  LoggingOperator* first;
  std::unique_ptr<ChainNode> a;
  std::shared_ptr<Channel> channel;
  std::unique_ptr<ChannelTarget> out;
};

using Log = std::vector<std::string>;

}  // namespace

TEST_CASE("a refused batch is kept, and nothing is worked on until it is gone") {
  ChainFixture f;
  f.a->offer(rows(1), 0);
  f.a->offer(rows(2), 0);  // the channel holds one batch: this one is refused and kept
  CHECK(f.out->blocked());
  f.a->offer(rows(3), 0);
  CHECK(f.listener.log == Log{"rows 1", "rows 2"});
  CHECK(f.a->blocked());
  CHECK(std::get<BatchPtr>(*f.channel->pop())->rows() == 1);
  CHECK(f.out->settle());
  CHECK(f.a->settle());
  CHECK(f.listener.log == Log{"rows 1", "rows 2", "rows 3"});
  CHECK(std::get<BatchPtr>(*f.channel->pop())->rows() == 2);
  CHECK(f.out->settle());
  CHECK(std::get<BatchPtr>(*f.channel->pop())->rows() == 3);
  CHECK_FALSE(f.a->blocked());
}

TEST_CASE("control elements keep their place behind refused batches") {
  ChainFixture f;
  f.a->offer(rows(1), 0);
  f.a->offer(rows(2), 0);
  f.a->offer(Barrier{{5}}, 0);
  f.a->offer(End{}, 0);
  CHECK(f.listener.log == Log{"rows 1", "rows 2"});
  f.channel->pop();
  while (f.out->settle() || f.a->settle()) {
  }
  CHECK(f.listener.log == Log{"rows 1", "rows 2", "barrier 5", "snapshot", "passed 5", "end", "snapshot", "passed end"});
  CHECK(std::get<BatchPtr>(*f.channel->pop())->rows() == 2);
  CHECK(std::holds_alternative<Barrier>(*f.channel->pop()));
  CHECK(std::holds_alternative<End>(*f.channel->pop()));
}

TEST_CASE("a barrier waits for an operator that waits, and the rows behind it too") {
  ChainFixture f;
  f.first->answer = Progress::kWait;
  f.a->offer(Barrier{{1}}, 0);
  f.a->offer(rows(1), 0);
  CHECK(f.listener.log == Log{"barrier 1"});
  CHECK_FALSE(f.a->settle());  // nobody has woken it
  f.a->waker([] {})();
  CHECK(f.a->settle());
  CHECK(f.listener.log == Log{"barrier 1", "resume", "snapshot", "passed 1", "rows 1"});
}

TEST_CASE("an operator that is woken while nothing is half-way hears of it once, and before what comes next") {
  ChainFixture f;
  CHECK_FALSE(f.a->has_work());
  const Waker waker = f.a->waker([] {});
  waker(), waker();
  CHECK(f.a->has_work());
  CHECK_FALSE(f.a->blocked());
  CHECK(f.a->settle());
  CHECK_FALSE(f.a->has_work());
  CHECK_FALSE(f.a->settle());
  CHECK(f.listener.log == Log{"wake"});
  waker();
  f.a->offer(rows(1), 0);
  f.a->offer(Barrier{{1}}, 0);
  CHECK(f.listener.log == Log{"wake", "wake", "rows 1", "barrier 1", "snapshot", "passed 1"});
}

TEST_CASE("rows that an operator emits when it is woken go on, and nothing else comes before they did") {
  ChainFixture f;
  f.first->rows_at_wake = 5;
  f.first->answer = Progress::kMore;
  f.a->waker([] {})();
  CHECK(f.a->settle());
  f.a->offer(rows(1), 0);
  CHECK(f.listener.log == Log{"wake"});
  CHECK(f.a->settle());
  CHECK(f.listener.log == Log{"wake", "resume", "rows 1"});
  CHECK(std::get<BatchPtr>(*f.channel->pop())->rows() == 5);
}

TEST_CASE("a waker that is used while an operator waits makes it resume, and is not heard twice") {
  ChainFixture f;
  f.first->answer = Progress::kWait;
  f.a->offer(rows(1), 0);
  f.a->waker([] {})();
  CHECK(f.a->settle());
  CHECK_FALSE(f.a->settle());
  CHECK(f.listener.log == Log{"rows 1", "resume"});
}

TEST_CASE("a waker that is used while the output is full is heard when it has room") {
  ChainFixture f;
  f.a->offer(rows(1), 0);
  f.a->offer(rows(2), 0);  // refused and kept
  f.a->waker([] {})();
  CHECK_FALSE(f.a->settle());
  f.channel->pop();
  CHECK(f.out->settle());
  CHECK(f.a->settle());
  CHECK(f.listener.log == Log{"rows 1", "rows 2", "wake"});
}

TEST_CASE("nothing wakes an operator after its end") {
  ChainFixture f;
  const Waker waker = f.a->waker([] {});
  f.a->offer(End{}, 0);
  waker();
  CHECK_FALSE(f.a->settle());
  CHECK_FALSE(f.a->has_work());
  CHECK(f.listener.log == Log{"end", "snapshot", "passed end"});
}

TEST_CASE("the end of one of several inputs goes to the operator, in its place, and no further") {
  ChainFixture f;
  f.first->answer = Progress::kWait;
  f.a->offer(rows(1), 1);
  f.a->offer(InputEnd{}, 1);
  CHECK(f.listener.log == Log{"rows 1"});
  f.a->waker([] {})();
  CHECK(f.a->settle());
  f.a->offer(End{}, 0);
  CHECK(f.listener.log == Log{"rows 1", "resume", "end of input 1", "end", "snapshot", "passed end"});
  CHECK(std::holds_alternative<BatchPtr>(*f.channel->pop()));
  CHECK(std::holds_alternative<End>(*f.channel->pop()));
}

TEST_CASE("an operator that has more is resumed when its output has room, and until it is done") {
  ChainFixture f;
  f.first->answer = Progress::kMore;
  f.a->offer(rows(1), 0);
  f.a->offer(rows(2), 0);
  CHECK(f.listener.log == Log{"rows 1"});
  f.first->answer = Progress::kMore;
  CHECK(f.a->settle());
  CHECK(f.listener.log == Log{"rows 1", "resume"});
  CHECK(f.a->settle());
  CHECK(f.listener.log == Log{"rows 1", "resume", "resume", "rows 2"});
}

TEST_CASE("a port with several readers hands each batch to all of them") {
  ChainFixture f;
  auto other = std::make_shared<Channel>(4);
  ChannelTarget second(Exchange{}, {other}, 0);
  f.a->ports().connect(0, second, 0);
  f.a->offer(rows(2), 0);
  f.a->offer(End{}, 0);
  for (const auto& channel : {f.channel, other}) {
    CHECK(std::get<BatchPtr>(*channel->pop())->rows() == 2);
    CHECK(std::holds_alternative<End>(*channel->pop()));
  }
}

TEST_CASE("a watermark takes the place of one before it, but the endless one leaves a floor") {
  Channel channel(8);
  channel.push_control(Watermark{{10}});
  channel.push_control(Watermark{{20}});
  channel.push_control(Watermark{Timestamp::infinity()});
  CHECK(std::get<Watermark>(*channel.pop()).time == Timestamp{20});
  CHECK(std::get<Watermark>(*channel.pop()).time == Timestamp::infinity());
  CHECK_FALSE(channel.pop());
}

TEST_CASE("a channel takes so many batches and so many bytes, an empty one any batch") {
  const BatchPtr small = batch_of(kSchema, {"1", "2"}), large = batch_of(kSchema, std::vector<std::string>(1000, "1"));
  Channel few(2), little(100, large->bytes());
  CHECK((few.try_push(large) && few.try_push(large) && !few.try_push(small)));
  CHECK((little.try_push(small) && !little.try_push(large) && little.try_push(small)));
  little.pop();
  little.pop();
  CHECK((little.try_push(large) && !little.try_push(small)));
  int woken = 0;
  little.set_wakers({}, [&] { ++woken; });
  little.pop();
  CHECK(woken == 1);
  Channel tiny(8, 1);
  CHECK((tiny.try_push(large) && !tiny.try_push(small)));
}

TEST_CASE("rows are dealt out by key group, each key to one task, in order") {
  std::vector<std::shared_ptr<Channel>> channels;
  for (int i = 0; i < 3; ++i) channels.push_back(std::make_shared<Channel>(8));
  ChannelTarget target(Exchange{Exchange::Kind::kHash, {0}}, channels, 0);
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back(std::to_string(i % 50));
  target.offer(batch_of(kSchema, texts), 0);
  std::map<std::int64_t, int> owner;
  std::int64_t all = 0;
  for (int i = 0; i < 3; ++i) {
    const auto element = channels[static_cast<std::size_t>(i)]->pop();
    REQUIRE(element);
    const BatchPtr batch = std::get<BatchPtr>(*element);
    all += batch->rows();
    for (std::int64_t r = 0; r < batch->rows(); ++r) {
      const auto [at, fresh] = owner.emplace(batch->column(0).values<std::int64_t>()[r], i);
      CHECK(at->second == i);
    }
  }
  CHECK(all == 300);
}

TEST_CASE("key groups are fixed for ever") {
  std::vector<std::uint8_t> groups;
  const int column = 0;
  key_groups(*batch_of(kSchema, {"0", "1", "2", "null", "-7"}), {&column, 1}, groups);
  std::vector<int> found(groups.begin(), groups.end());
  key_groups(*batch_of(schema_of("name varchar"), {"weir", ""}), {&column, 1}, groups);
  found.insert(found.end(), groups.begin(), groups.end());
  CHECK(found == std::vector<int>{47, 65, 105, 70, 40, 81, 87});
}

TEST_CASE("groups are dealt to tasks in contiguous ranges") {
  for (int tasks : {1, 2, 3, 5, 128}) {
    std::vector<int> count(static_cast<std::size_t>(tasks));
    int last = 0;
    for (int g = 0; g < kKeyGroups; ++g) {
      const int t = task_of_group(g, tasks);
      CHECK(KeyGroups::of_task(t, tasks).first <= g);
      CHECK(KeyGroups::of_task(t, tasks).last >= g);
      CHECK(t >= last);
      REQUIRE(t < tasks);
      last = t;
      ++count[static_cast<std::size_t>(t)];
    }
    for (const int c : count) CHECK(c >= kKeyGroups / tasks);
  }
}

TEST_CASE("a waker may be used after its node is gone") {
  ChainFixture f;
  int wakes = 0;
  const Waker waker = f.a->waker([&] { ++wakes; });
  f.a.reset();
  waker();  // what this would write to is gone: AddressSanitizer sees it
  CHECK(wakes == 1);
}

TEST_CASE("a waker that is used while the operator is asked, after it looked, is not forgotten") {
  // What the operator waits for comes from another thread, at about the moment at which it looks.
  struct alignas(64) Line {  // of the cache, alone
    std::atomic<int> number{0};
  } ready_line, asked_line, woken_line;
  std::atomic<int>&ready = ready_line.number, &asked = asked_line.number, &woken = woken_line.number;
  const auto pause = [](int n) {
    std::atomic<int> looked{0};
    for (int k = 0; k < n; ++k) looked.store(k, std::memory_order_relaxed);
  };
  struct Waiting final : Operator {
    explicit Waiting(std::atomic<int>& r) : ready(r) {}
    Progress process(int, BatchPtr, Output&) override { return Progress::kDone; }
    Progress on_watermark(Timestamp w, Output& out) override { return wanted = static_cast<int>(w.micros), resume(out); }
    Progress resume(Output&) override {
      return ready.load(std::memory_order_acquire) >= wanted ? Progress::kDone : Progress::kWait;
    }
    std::atomic<int>& ready;
    int wanted = 0;
  };
  Listener listener;
  TaskCounters counters;
  ChainNode node(std::make_unique<Waiting>(ready), 0, counters, listener);
  std::jthread other([&, waker = node.waker([] {})] {
    for (int i = 1; asked.load(std::memory_order_acquire) >= 0; ++i) {
      for (int now = 0; now < i; now = asked.load(std::memory_order_acquire))
        if (now < 0) return;
      pause(i % 60);
      ready.store(i, std::memory_order_release);
      waker();
      woken.store(i, std::memory_order_release);
    }
  });
  int lost = 0;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
  for (int i = 1; i <= 200'000 && lost == 0 && std::chrono::steady_clock::now() < until; ++i) {
    asked.store(i, std::memory_order_release);
    pause(i / 60 % 60);
    node.offer(Watermark{{i}}, 0);
    while (node.blocked() && lost == 0) {
      const bool was_woken = woken.load(std::memory_order_acquire) >= i;
      node.settle();
      lost += was_woken && node.blocked();
    }
    while (woken.load(std::memory_order_acquire) < i) {
    }
  }
  asked = -1;
  CHECK(lost == 0);
}
