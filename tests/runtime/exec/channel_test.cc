#include "runtime/exec/channel.h"

#include <catch2/catch.hpp>
#include <semaphore>
#include <thread>

#include "tests/support/batches.h"

namespace weir {
namespace {

constexpr auto kLimit = std::chrono::seconds(30);

/// A thread that sleeps until it is woken; several wake-ups count as one.
class Sleeper {
 public:
  void wake() {
    if (!woken_.exchange(true)) semaphore_.release();
  }
  /// False when nobody woke it.
  bool sleep() {
    if (!semaphore_.try_acquire_for(kLimit)) return false;
    woken_ = false;
    return true;
  }

 private:
  std::atomic<bool> woken_{false};
  std::binary_semaphore semaphore_{0};
};

}  // namespace

TEST_CASE("what one thread pushes another pops, in order, with no wake-up lost and never more than the credit") {
  constexpr int kElements = 3'000;
  const std::size_t credit = GENERATE(1, 3);
  Channel channel(credit);
  Sleeper reader, writer;
  channel.set_wakers([&] { reader.wake(); }, [&] { writer.wake(); });
  const SchemaPtr schema = schema_of("id bigint");
  const BatchPtr batch = batch_of(schema, {"1"});
  std::atomic<int> in_channel{0}, most{0};
  std::atomic<bool> stuck{false};
  std::jthread pushing([&] {
    for (int i = 0; i < kElements && !stuck; ++i) {
      if (i % 7 == 3) {
        channel.push_control(Barrier{{static_cast<std::uint64_t>(i)}});
        continue;
      }
      while (!channel.try_push(batch) && !stuck)
        if (!writer.sleep()) stuck = true;
      most = std::max<int>(most, ++in_channel);
    }
    channel.push_control(End{});
  });
  int seen = 0;
  for (bool ended = false; !ended && !stuck;) {
    const auto element = channel.pop();
    if (!element) {
      if (!reader.sleep()) stuck = true;
      continue;
    }
    ended = std::holds_alternative<End>(*element);
    if (ended) break;
    const auto* barrier = std::get_if<Barrier>(&*element);
    if ((barrier != nullptr) != (seen % 7 == 3) || (barrier && barrier->epoch.value != static_cast<std::uint64_t>(seen)))
      break;
    if (!barrier) --in_channel;
    ++seen;
  }
  if (seen < kElements) stuck = true, writer.wake();
  pushing.join();
  CHECK(seen == kElements);
  CHECK(most <= static_cast<int>(credit) + 1);  // counted after the push and the pop
}

}  // namespace weir
