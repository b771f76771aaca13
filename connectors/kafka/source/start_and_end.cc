#include "connectors/kafka/source/start_and_end.h"

#include "runtime/base/nearest.h"
#include "runtime/config/scalars.h"

namespace weir {

std::optional<std::int64_t> WrittenOffsets::find(const std::string& topic, std::int32_t partition) const {
  for (const std::string& name : {topic, std::string()}) {
    const auto t = topics.find(name);
    if (t == topics.end()) continue;
    const auto p = t->second.find(partition);
    if (p != t->second.end()) return p->second;
  }
  return std::nullopt;
}

ConfigField start_field() {
  return field::one_of("start",
                       {field::word("earliest"), field::word("latest"), field::word("committed"),
                        field::form({field::enumeration("committed", {"earliest", "latest"})
                                         .doc("What holds where the group has committed nothing.")}),
                        field::form({field::time("timestamp").doc("The first record at or after this time.")}),
                        field::form({field::any("offsets").doc(
                            "Partition to offset; with several topics, topic to that. Partitions not named: earliest.")})})
      .defaults_to("earliest")
      .doc(
          "Where to begin when no checkpoint says so: earliest, latest, committed (by group; fails where it has committed "
          "nothing), {committed: earliest}, "
          "{timestamp: T}, {offsets: {0: 12}}.");
}

ConfigField end_field() {
  return field::one_of(
             "end",
             {field::word("none"), field::word("latest"),
              field::form({field::time("timestamp").doc("The first record at or after this time is not read.")}),
              field::form({field::any("offsets").doc(
                  "Partition to offset, exclusive; with several topics, topic to that. Partitions not named: latest.")})})
      .defaults_to("none")
      .doc(
          "Where to stop; a source with an end is bounded. none, latest (as it is at the start), {timestamp: T}, {offsets: "
          "{0: 100}} (exclusive).");
}

namespace {

/// Reads `{0: 12, 1: 7}` into `out`.
void read_partitions(const Node& node, std::map<std::int32_t, std::int64_t>& out, Diagnostics& diagnostics) {
  for (const Node::Entry& entry : node.entries) {
    const std::int64_t partition = parse_integer(entry.key.text).value_or(-1);
    const std::int64_t offset = entry.value.is_scalar() ? parse_integer(entry.value.text).value_or(-1) : -1;
    if (partition < 0 || partition > INT32_MAX)
      diagnostics.error(entry.key.location, fmt::format("a partition is a whole number, not {}", entry.key.shown()),
                        "write {0: 12}");
    else if (offset < 0)
      diagnostics.error(entry.value.location,
                        fmt::format("an offset is a whole number, not {}",
                                    entry.value.is_scalar() ? entry.value.shown() : entry.value.kind_name()),
                        "write {0: 12}");
    else out[static_cast<std::int32_t>(partition)] = offset;
  }
}

WrittenOffsets read_offsets(const Node& node, const WrittenTopics& topics, Diagnostics& diagnostics) {
  WrittenOffsets out;
  if (!node.is_mapping()) {
    diagnostics.error(node.location, fmt::format("'offsets' must be a mapping, not {}", node.kind_name()),
                      "write {offsets: {0: 12}}");
    return out;
  }
  for (const Node::Entry& entry : node.entries) {
    if (entry.value.is_mapping()) {
      if (!topics.reads(entry.key.text))
        diagnostics.error(entry.key.location, fmt::format("the source does not read topic '{}'", entry.key.text),
                          nearest_hint(entry.key.text, topics.names));
      read_partitions(entry.value, out.topics[entry.key.text], diagnostics);
    } else if (topics.one) {
      read_partitions(node, out.topics[""], diagnostics);
      break;
    } else {
      diagnostics.error(entry.key.location, "a source of several topics needs offsets per topic",
                        "write {offsets: {topic: {0: 12}}}");
      break;
    }
  }
  return out;
}

}  // namespace

StartRule read_start(const Config& source, const WrittenTopics& topics, Diagnostics& diagnostics) {
  StartRule rule;
  const Config& start = source.choice("start");
  const std::string& form = start.form();
  if (form == "latest") rule.kind = StartRule::Kind::kLatest;
  if (form == "timestamp") rule.kind = StartRule::Kind::kTimestamp, rule.time = start.time("timestamp");
  if (form == "offsets")
    rule.kind = StartRule::Kind::kOffsets, rule.offsets = read_offsets(start.node("offsets"), topics, diagnostics);
  if (form == "committed") {
    rule.kind = StartRule::Kind::kCommitted;
    const std::string& fallback = start.text("committed");  // of the bare word: itself
    if (fallback == "earliest") rule.fallback = StartRule::Fallback::kEarliest;
    if (fallback == "latest") rule.fallback = StartRule::Fallback::kLatest;
  }
  return rule;
}

EndRule read_end(const Config& source, const WrittenTopics& topics, Diagnostics& diagnostics) {
  EndRule rule;
  const Config& end = source.choice("end");
  const std::string& form = end.form();
  if (form == "latest") rule.kind = EndRule::Kind::kLatest;
  if (form == "timestamp") rule.kind = EndRule::Kind::kTimestamp, rule.time = end.time("timestamp");
  if (form == "offsets")
    rule.kind = EndRule::Kind::kOffsets, rule.offsets = read_offsets(end.node("offsets"), topics, diagnostics);
  return rule;
}

}  // namespace weir
