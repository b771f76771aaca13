/// Fills a Kafka topic with the events of event_maker.h, and prints what the workloads must make of them:
///   generate --brokers B --topic T [--partitions 4] [--events N] [--seed S] [--rate R] [--start MS] [--pace R]
/// Without --brokers it writes JSON lines to standard output, and the expectation to standard error.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <thread>

#include "tools/bench/client.h"
#include "tools/bench/row_producer.h"
#include "tools/bench/totals.h"

namespace weir::bench {
namespace {

constexpr std::size_t kMostEventBytes = 2048;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string brokers, topic = "nexmark";
  std::uint64_t partitions = 4, events = 1'000'000, seed = 1, rate = 10'000;
  std::uint64_t start = 1'704'067'200'000;  ///< ms of event 0: 2024-01-01
  std::uint64_t pace = 0;                   ///< events a second of the wall clock; 0: as fast as possible
};

Options read_options(int count, char** words) {
  Options o;
  const std::map<std::string, std::string*> texts = {{"--brokers", &o.brokers}, {"--topic", &o.topic}};
  const std::map<std::string, std::uint64_t*> numbers = {
      {"--partitions", &o.partitions}, {"--events", &o.events}, {"--seed", &o.seed}, {"--rate", &o.rate},
      {"--start", &o.start},           {"--pace", &o.pace}};
  for (int i = 1; i < count; i += 2) {
    const std::string name = words[i];
    if (i + 1 == count) throw std::runtime_error("no value for " + name);
    if (texts.contains(name)) *texts.at(name) = words[i + 1];
    else if (numbers.contains(name)) *numbers.at(name) = std::stoull(words[i + 1]);
    else throw std::runtime_error("no such option: " + name);
  }
  if (o.rate == 0 || o.partitions == 0) throw std::runtime_error("--rate and --partitions must be above 0");
  return o;
}

/// Records dated in the past must not be deleted by retention.
void create_topic(const Options& o) {
  rd_kafka_t* client = new_client(RD_KAFKA_PRODUCER, {{"bootstrap.servers", o.brokers}});
  char text[512];
  rd_kafka_NewTopic_t* topic = rd_kafka_NewTopic_new(o.topic.c_str(), static_cast<int>(o.partitions), 1, text, sizeof text);
  if (!topic) throw std::runtime_error(text);
  rd_kafka_NewTopic_set_config(topic, "retention.ms", "-1");
  rd_kafka_queue_t* answers = rd_kafka_queue_new(client);
  rd_kafka_CreateTopics(client, &topic, 1, nullptr, answers);
  rd_kafka_event_t* answer = rd_kafka_queue_poll(answers, 30'000);
  if (!answer) throw std::runtime_error("no answer from " + o.brokers);
  check(rd_kafka_event_error(answer), "creating topic " + o.topic);
  std::size_t topics = 0;
  check(rd_kafka_topic_result_error(
            rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(answer), &topics)[0]),
        "creating topic " + o.topic);
  rd_kafka_event_destroy(answer);
  rd_kafka_queue_destroy(answers);
  rd_kafka_NewTopic_destroy(topic);
  rd_kafka_destroy(client);
}

int run(const Options& o) {
  std::optional<RowProducer> producer;
  if (!o.brokers.empty()) {
    create_topic(o);
    producer.emplace(producer_settings(o.brokers, o.pace ? "1" : "50"), o.topic, kMostEventBytes);
  }
  const EventMaker maker(o.seed, o.rate, static_cast<std::int64_t>(o.start));
  Expectation expectation;
  std::string json;
  std::uint64_t bytes = 0;
  const auto began = Clock::now();
  for (std::uint64_t n = 0; n < o.events; ++n) {
    if (o.pace && n % std::max<std::uint64_t>(o.pace / 1000, 1) == 0) {
      if (producer) producer->send();
      std::this_thread::sleep_until(began + std::chrono::microseconds(n * 1'000'000 / o.pace));
    }
    expectation.add(maker.make(n, json));
    bytes += json.size();
    if (producer) {
      const int partition = static_cast<int>(n % o.partitions);
      char* to = producer->row(partition);
      std::memcpy(to, json.data(), json.size());
      producer->end_row(partition, to + json.size());
    } else {
      json += '\n';
      std::fwrite(json.data(), 1, json.size(), stdout);
    }
  }
  if (producer) producer->flush();
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  std::fprintf(stderr, "%llu events of %.0f bytes in %.1f s\n", static_cast<unsigned long long>(o.events),
               static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(o.events, 1)), seconds);
  std::fprintf(producer ? stdout : stderr, "%s\n", expectation.json().c_str());
  return 0;
}

}  // namespace
}  // namespace weir::bench

int main(int count, char** words) {
  try {
    return weir::bench::run(weir::bench::read_options(count, words));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "generate: %s\n", e.what());
    return 1;
  }
}
