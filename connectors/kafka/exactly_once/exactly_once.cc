#include "connectors/kafka/exactly_once/exactly_once.h"

#include <algorithm>

namespace weir {
namespace {

bool says(const Component& sink, std::string_view guarantee) {
  return sink.type == "kafka" && sink.ok() && sink.config.has("guarantee") &&
         sink.config.choice("guarantee").form() == guarantee;
}

bool is_kafka(const Component& c) { return c.type == "kafka" && c.ok(); }

const Component* first_exactly_once(const PipelineFile& file) {
  for (const Component& sink : file.sinks)
    if (is_kafka(sink) && guarantee_of(sink, file) == Guarantee::kExactlyOnce) return &sink;
  return nullptr;
}

/// Properties whose values the transactions rely on, beside those that no connection takes.
constexpr std::string_view kReliedOn[] = {
    "message.timeout.ms",       "delivery.timeout.ms", "retries",
    "message.send.max.retries", "max.in.flight",       "max.in.flight.requests.per.connection",
    "socket.timeout.ms"};

void refuse_relied_on(const Config& config, const char* key, Diagnostics& diagnostics) {
  if (!config.has(key)) return;
  for (const NamedText& p : config.entries(key))
    if (std::find(std::begin(kReliedOn), std::end(kReliedOn), p.name) != std::end(kReliedOn))
      diagnostics.error(p.name_location, fmt::format("'{}' cannot be given with exactly_once", p.name),
                        "a row is tried until its transaction ends; write transaction_timeout of the connection");
}

void check_connection(const Component& connection, const PipelineFile& file, Diagnostics& diagnostics) {
  const Config& config = connection.config;
  refuse_relied_on(config, "properties", diagnostics);
  refuse_relied_on(config, "producer", diagnostics);
  if (!config.has("transaction_timeout")) return;
  const Duration timeout = config.duration("transaction_timeout");
  if (timeout < Duration::seconds(60))
    diagnostics.warning(config.location("transaction_timeout"),
                        fmt::format("below 60s a transaction may time out while its broker restarts, and brokers are known "
                                    "(Apache Kafka 4.4.0) that lose the marks of "
                                    "such an abort: rows that were given up become readable with a later commit, or readers "
                                    "are held up for good; it is {}",
                                    format_duration(timeout)),
                        "write transaction_timeout: 60s or more, or leave it out");
  if (file.checkpoint.interval.micros * 2 > timeout.micros)
    diagnostics.warning(
        config.location("transaction_timeout"),
        fmt::format("a checkpoint is taken after half of transaction_timeout, earlier than checkpoint.interval "
                    "says: {} is less than 2 x {}",
                    format_duration(timeout), format_duration(file.checkpoint.interval)),
        "write a longer transaction_timeout");
}

void check_interval(const Component& sink, const PipelineFile& file, Diagnostics& diagnostics) {
  if (file.checkpoint.interval.micros != 0) return;
  const Config& settings = file.settings;
  const bool written = settings.has("checkpoint") && settings.object("checkpoint").given("interval");
  diagnostics.error(
      written ? settings.object("checkpoint").location("interval") : sink.config.location("guarantee"),
      fmt::format("checkpoint.interval 0 and exactly_once (sink {}) do not go together: rows become readable with "
                  "checkpoints only",
                  sink.name),
      "write an interval, such as 1s");
}

/// One warning for all sinks that promise less.
void warn_of_mixed(const Component& first, const PipelineFile& file, Diagnostics& diagnostics) {
  std::string twice, missing;
  const auto add = [](std::string& to, const Component& sink, const char* guarantee) {
    to += fmt::format("{}{} ({})", to.empty() ? "" : ", ", sink.name, guarantee);
  };
  for (const Component& sink : file.sinks) {
    if (sink.type == "console" && sink.ok()) add(twice, sink, "console");
    if (!is_kafka(sink)) continue;
    const Guarantee guarantee = guarantee_of(sink, file);
    if (guarantee == Guarantee::kAtLeastOnce) add(twice, sink, to_string(guarantee));
    if (guarantee == Guarantee::kNone) add(missing, sink, to_string(guarantee));
  }
  std::string what;
  if (!twice.empty()) what = "may have rows twice: " + twice;
  if (!missing.empty()) what += (what.empty() ? "" : "; ") + ("may have rows twice or miss some: " + missing);
  if (!what.empty())
    diagnostics.warning(
        first.config.location("guarantee"),
        fmt::format("after a crash {} has each row once, but others of the file do not; {}", first.name, what));
}

void warn_of_uncommitted(const Component& first, const PipelineFile& file, Diagnostics& diagnostics) {
  for (const Component& source : file.sources)
    if (is_kafka(source) && source.config.has("isolation") && source.config.text("isolation") == "read_uncommitted")
      diagnostics.warning(
          source.config.location("isolation"),
          fmt::format("source {} reads rows of transactions that may be aborted, and sink {} writes them as if "
                      "they were committed",
                      source.name, first.name),
          "write isolation: read_committed");
}

}  // namespace

Guarantee guarantee_of(const Component& sink, const PipelineFile& file) {
  if (says(sink, "none")) return Guarantee::kNone;
  if (says(sink, "at_least_once")) return Guarantee::kAtLeastOnce;
  const bool exactly = std::any_of(file.sinks.begin(), file.sinks.end(), [&](const Component& other) {
    return other.connection == sink.connection && says(other, "exactly_once");
  });
  return exactly ? Guarantee::kExactlyOnce : Guarantee::kAtLeastOnce;
}

void check_exactly_once(const Component& sink, const PipelineFile& file, Diagnostics& diagnostics) {
  refuse_relied_on(sink.config, "properties", diagnostics);
  const Component* first = first_exactly_once(file);
  if (first && sink.connection != first->connection)
    diagnostics.error(sink.config.location("connection"),
                      fmt::format("only one connection of a file can be exactly once, and that of sink {} is: {}",
                                  first->name, first->connection),
                      fmt::format("write connection: {}, or guarantee: at_least_once", first->connection));
  const Component* connection = file.find_connection(sink.connection);
  if (first != &sink || !connection || !connection->ok()) return;
  if (connection->config.text("brokers") == "embedded")
    diagnostics.error(sink.config.location("guarantee"),
                      "the embedded broker is gone with the process and refuses exactly_once",
                      "write guarantee: at_least_once");
  check_interval(sink, file, diagnostics);
  check_connection(*connection, file, diagnostics);
  warn_of_mixed(sink, file, diagnostics);
  warn_of_uncommitted(sink, file, diagnostics);
}

}  // namespace weir
