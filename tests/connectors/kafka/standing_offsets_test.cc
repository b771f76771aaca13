#include "connectors/kafka/source/standing_offsets.h"

#include <catch2/catch.hpp>

#include "tests/support/kafka_client.h"
#include "tests/support/temporary_folder.h"

using namespace weir;
using Catch::Contains;

namespace {

/// A topic of two partitions, and what is told of it.
struct Watched {
  KafkaClient client;
  std::string topic = client.new_topic("standing", 2);
  std::mutex mutex;
  std::vector<std::string> told;

  std::unique_ptr<StandingOffsets> watch() {
    auto connection = std::make_shared<KafkaConnection>();
    connection->name = "main";
    connection->brokers = client.brokers();
    return std::make_unique<StandingOffsets>(std::make_shared<Cluster>(connection, nullptr),
                                             std::vector<TopicPartition>{{topic, 0}, {topic, 1}},
                                             Duration::milliseconds(200), [this](const std::string& warning) {
                                               std::lock_guard lock(mutex);
                                               told.push_back(warning);
                                             });
  }
  std::size_t told_within(int ms) {
    for (int i = 0; i < ms / 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::lock_guard lock(mutex);
      if (!told.empty()) return told.size();
    }
    return 0;
  }
};

}  // namespace

TEST_CASE("a transaction that stays open is told of, with place and what to do", "[broker]") {
  Watched w;
  w.client.produce_values(w.topic, {"a", "b"}, 1);
  KafkaTransaction open(unique_name("hanging"));
  open.produce(w.topic, {{.value = "c", .partition = 1}});
  const auto watch = w.watch();
  REQUIRE(w.told_within(10'000) == 1);
  CHECK_THAT(w.told[0], Contains(w.topic + "-1 has stood still") &&
                            Contains("find-hanging --topic " + w.topic + " --partition 1") &&
                            Contains("abort --topic " + w.topic + " --partition 1 --start-offset 2") &&
                            Contains("last stable offset: 2, end: 3"));
}

TEST_CASE("neither what ends meanwhile nor what may be the job's own is told of", "[broker]") {
  Watched w;
  CHECK((w.watch(), w.told_within(600)) == 0);  // nothing is open
  KafkaTransaction open(unique_name("ends"));
  open.produce(w.topic, {{.value = "c", .partition = 1}});
  {
    const auto watch = w.watch();
    watch->writes();
    CHECK(w.told_within(1000) == 0);
    watch->committed();
    open.commit();
    watch->committed();
    CHECK(w.told_within(1000) == 0);
  }
}
