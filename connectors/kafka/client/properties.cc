#include "connectors/kafka/client/properties.h"

#include <librdkafka/rdkafka.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "connectors/kafka/client/handles.h"
#include "runtime/base/nearest.h"

namespace weir {
namespace {

struct Refused {
  const char* property;
  const char* reason;
};

constexpr Refused kRefused[] = {
    {"bootstrap.servers", "write brokers of the connection"},
    {"metadata.broker.list", "write brokers of the connection"},
    {"test.mock.num.brokers", "write brokers: embedded"},
    {"group.id", "write group of the source"},
    {"group.instance.id", "weir assigns partitions itself"},
    {"partition.assignment.strategy", "weir assigns partitions itself"},
    {"isolation.level", "write isolation of the source"},
    {"auto.offset.reset", "positions are weir's: an offset that is gone must be an error, see offset_lost of the source"},
    {"enable.auto.commit", "positions are in checkpoints, see commit_offsets of the source"},
    {"auto.commit.enable", "positions are in checkpoints, see commit_offsets of the source"},
    {"enable.auto.offset.store", "positions are in checkpoints"},
    {"offset.store.method", "positions are in checkpoints"},
    {"enable.partition.eof", "weir finds the end of bounded sources by it"},
    {"allow.auto.create.topics", "a topic that does not exist is an error, not a new topic"},
    {"queued.min.messages", "computed from memory"},
    {"queued.max.messages.kbytes", "computed from memory"},
    {"queue.buffering.max.messages", "computed from memory"},
    {"queue.buffering.max.kbytes", "computed from memory"},
    {"enable.idempotence", "follows from guarantee of the sink"},
    {"acks", "follows from guarantee of the sink"},
    {"request.required.acks", "follows from guarantee of the sink"},
    {"enable.gapless.guarantee", "follows from guarantee of the sink"},
    {"transactional.id", "named after the job"},
    {"transaction.timeout.ms", "write transaction_timeout of the connection"},
    {"delivery.report.only.error", "a checkpoint waits until every row is acknowledged"},
    {"queuing.strategy", "the order of rows within a partition is kept"},
    {"partitioner", "weir chooses partitions as Java clients do; write partition of the sink for another choice"},
    {"log_level", "write --log-level"},
    {"log.queue", "weir reads the log itself"},
    {"sasl.username", "write user in security of the connection"},
    {"sasl.password", "write password in security of the connection"},
    {"sasl.jaas.config", "write mechanism, user and password in security of the connection"},
};

/// The names that librdkafka takes here, aliases too, without those that are refused: of its table of all properties, a line
/// each that begins with the name, the topics' behind a heading.
std::vector<std::string> property_names(PropertyUse use) {
  char* table = nullptr;
  std::size_t size = 0;
  std::FILE* out = open_memstream(&table, &size);
  if (!out) return {};
  rd_kafka_conf_properties_show(out);
  std::fclose(out);
  std::istringstream lines(table);
  std::free(table);
  std::vector<std::string> names;
  bool is_topic = false;
  for (std::string line; std::getline(lines, line);) {
    is_topic |= line.find("Topic configuration properties") != std::string::npos;
    std::string name = line.substr(0, line.find_first_of(" |"));
    const bool is_name = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz._") == std::string::npos && !name.empty();
    if (is_name && (is_topic || use != PropertyUse::kTopic) && why_refused(name, use).empty())
      names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::string_view why_refused(std::string_view property, PropertyUse) {
  for (const Refused& r : kRefused)
    if (property == r.property) return r.reason;
  return {};
}

void read_properties(const Config& config, const std::string& key, PropertyUse use, Properties& out,
                     Diagnostics& diagnostics) {
  if (!config.has(key)) return;
  std::unique_ptr<rd_kafka_conf_t, DestroyHandle<rd_kafka_conf_destroy>> scratch(rd_kafka_conf_new());
  std::unique_ptr<rd_kafka_topic_conf_t, DestroyHandle<rd_kafka_topic_conf_destroy>> topic(rd_kafka_topic_conf_new());
  char text[512];
  for (const NamedText& p : config.entries(key)) {
    if (const std::string_view reason = why_refused(p.name, use); !reason.empty()) {
      diagnostics.error(p.name_location, fmt::format("'{}' cannot be given here", p.name), std::string(reason));
      continue;
    }
    const rd_kafka_conf_res_t result =
        use == PropertyUse::kTopic ? rd_kafka_topic_conf_set(topic.get(), p.name.c_str(), p.text.c_str(), text, sizeof text)
                                   : rd_kafka_conf_set(scratch.get(), p.name.c_str(), p.text.c_str(), text, sizeof text);
    if (result == RD_KAFKA_CONF_UNKNOWN)
      diagnostics.error(
          p.name_location,
          fmt::format("'{}' is not a {}property of librdkafka", p.name, use == PropertyUse::kTopic ? "topic " : ""),
          nearest_hint(p.name, property_names(use)));
    else if (result == RD_KAFKA_CONF_INVALID)
      diagnostics.error(p.location, fmt::format("librdkafka does not take this value for '{}'", p.name),
                        "see librdkafka's CONFIGURATION.md");
    else out.emplace_back(p.name, p.text);
  }
}

}  // namespace weir
