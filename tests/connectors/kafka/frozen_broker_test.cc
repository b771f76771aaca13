#include <catch2/catch.hpp>

#include <chrono>
#include <future>

#include "connectors/kafka/exactly_once/lanes.h"
#include "runtime/api/commit_authority.h"
#include "runtime/base/error.h"
#include "tests/connectors/kafka/kafka_binding.h"
#include "tests/connectors/kafka/running.h"
#include "tests/support/broker_control.h"
#include "tests/support/kafka_client.h"

using namespace weir;

// A broker that hangs keeps its connections and answers nothing. No call may wait for it longer than it may, and everything
// can be given up at once.

namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::seconds;

const SchemaPtr kInput = schema_of("n bigint");
constexpr seconds kCall{20};    ///< no call takes longer; 15 s, and what a busy machine adds
constexpr seconds kGiveUp{10};  ///< nor does giving up a client

BatchPtr one_row() { return batch_of(kInput, {"1"}); }

/// A job of its own with an exactly-once sink on topic t, whose first epoch is open and holds an acknowledged row.
struct OpenTransaction {
  explicit OpenTransaction(const std::string& brokers, const std::string& job) : pipeline("brokers: \"" + brokers + "\"") {
    attempt = std::make_unique<TestAttempt>();
    attempt->context().job = job;
    sink = pipeline.sink("topic: t, key: n, guarantee: exactly_once", kInput);
    sink->join_authority(attempt->context());
    authority = sink->create_authority(attempt->context());
    authority->inspect();
    authority->open();
    authority->begin(Epoch{1});
    authority->begin(Epoch{2});
    writing = std::make_unique<RunningSink>(*sink, *attempt);
    writing->write(one_row());
    writing->barrier();
  }
  Lane& lane() {
    return attempt->context()
        .shared<Lanes>("kafka lanes main", []() -> Lanes* { throw std::logic_error("no lanes"); })
        ->lane(Epoch{1});
  }
  /// What is held goes, in the order in which the job lets it go.
  void give_up() {
    writing.reset();
    authority.reset();
    attempt.reset();
  }

  KafkaPipeline pipeline;
  std::unique_ptr<TestAttempt> attempt;
  std::unique_ptr<BoundSink> sink;
  std::unique_ptr<CommitAuthority> authority;
  std::unique_ptr<RunningSink> writing;
};

/// What took too long, or "".
struct Timing {
  std::string found;
  template <typename Work>
  void measure(const char* what, seconds limit, Work work) {
    const auto began = SteadyClock::now();
    std::string how = "done";
    try {
      work();
    } catch (const Error& e) {
      how = e.text();
    } catch (const std::exception& e) {
      how = e.what();
    }
    const auto took = std::chrono::duration<double>(SteadyClock::now() - began);
    if (took > limit) found += fmt::format("{} took {:.1f} s ({}); ", what, took.count(), how);
  }
};

/// Calls `work` while the broker is frozen, then gives up the job; says what took too long.
template <typename Work>
std::future<std::string> in_background(OpenTransaction& job, const char* what, Work work) {
  return std::async(std::launch::async, [&job, what, work] {
    Timing timing;
    timing.measure(what, kCall, [&] { work(job); });
    timing.measure((std::string("giving up after ") + what).c_str(), kGiveUp, [&] { job.give_up(); });
    return timing.found;
  });
}

}  // namespace

TEST_CASE("while the broker hangs every call ends at its time-out and every client can be given up", "[broker][eos]") {
  BrokerControl broker;
  KafkaClient client(broker.brokers());
  client.create_topic("t", 2);
  client.produce_values("t", {R"({"n":1})"}, 0);
  OpenTransaction opened(broker.brokers(), "opened"), writing(broker.brokers(), "writing"),
      sending(broker.brokers(), "sending"), committing(broker.brokers(), "committing"),
      aborting(broker.brokers(), "aborting"), initialising(broker.brokers(), "initialising"),
      looking(broker.brokers(), "looking"), taking(broker.brokers(), "taking");
  committing.lane().add_offset("weir-committing", "t", 0, "weir1 1 a");
  KafkaPipeline pipeline("brokers: \"" + broker.brokers() + "\"");
  const auto source = pipeline.source("topic: t, schema: {n: bigint}, group: readers");
  auto attempt = std::make_unique<TestAttempt>();
  auto reading = std::make_unique<RunningSource>(*source, *attempt, discover(*source, *attempt));
  reading->read(1);

  broker.freeze();
  std::vector<std::future<std::string>> found;
  found.push_back(in_background(opened, "nothing", [](auto&) {}));
  found.push_back(in_background(writing, "writing", [](OpenTransaction& job) { job.writing->write(one_row()); }));
  found.push_back(in_background(sending, "sending the marker",
                                [](OpenTransaction& job) { job.authority->commit(Epoch{1}, RunId{"a"}); }));
  found.push_back(in_background(committing, "committing", [](OpenTransaction& job) { job.lane().commit(); }));
  found.push_back(in_background(aborting, "aborting", [](OpenTransaction& job) { job.authority->close(); }));
  found.push_back(in_background(initialising, "taking over the lanes", [](OpenTransaction& job) { job.authority->open(); }));
  found.push_back(in_background(looking, "looking at the marker", [](OpenTransaction& job) { job.authority->inspect(); }));
  found.push_back(in_background(taking, "taking over a job", [](OpenTransaction& job) {
    job.authority->take_over("opened", Marker{Epoch{1}, RunId{"a"}});
  }));
  Timing timing;
  timing.measure("looking for partitions", kCall, [&] { discover(*source, *attempt); });
  reading->reader().on_committed(Epoch{1}, reading->reader().splits());
  timing.measure("giving up a reader", kGiveUp, [&] {
    reading.reset();
    attempt.reset();
  });
  for (auto& f : found) timing.found += f.get();
  CHECK(timing.found == "");
  broker.thaw();
}
