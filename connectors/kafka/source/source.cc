#include "connectors/kafka/source/source.h"

#include "connectors/formats/formats.h"
#include "connectors/kafka/client/properties.h"
#include "connectors/kafka/client/topic_name.h"
#include "connectors/kafka/source/enumerator.h"
#include "connectors/kafka/source/reader.h"
#include "connectors/kafka/source/source_settings.h"

namespace weir {
namespace {

class KafkaSource final : public BoundSource {
 public:
  explicit KafkaSource(KafkaSourceSettingsPtr settings)
      : settings_(std::move(settings)), ports_(with_errors_port({{"", settings_->schema}}, settings_->on_error)) {}

  const std::vector<Port>& ports() const override { return ports_; }
  bool bounded() const override { return settings_->bounded(); }
  std::unique_ptr<SplitEnumerator> create_enumerator(AttemptContext& attempt) const override {
    return std::make_unique<KafkaEnumerator>(settings_, attempt);
  }
  std::unique_ptr<SourceReader> create_reader(AttemptContext& attempt) const override {
    return std::make_unique<KafkaReader>(settings_, attempt);
  }
  std::string type() const override { return "kafka"; }

 private:
  KafkaSourceSettingsPtr settings_;
  std::vector<Port> ports_;
};

using Lost = KafkaSourceSettings::Lost;
using Tombstone = KafkaSourceSettings::Tombstone;

Lost read_lost(const std::string& word) {
  return word == "earliest" ? Lost::kEarliest : word == "latest" ? Lost::kLatest : Lost::kFail;
}

void read_topics(const Config& config, KafkaSourceSettings& out, Diagnostics& diagnostics) {
  if (config.has("topic")) {
    out.topics.push_back(config.text("topic"));
    check_topic_name(out.topics.back(), config.location("topic"), diagnostics);
  }
  if (config.has("topics")) {
    for (const Text& topic : config.texts("topics")) {
      if (std::find(out.topics.begin(), out.topics.end(), topic.text) != out.topics.end())
        diagnostics.error(topic.location, fmt::format("topic '{}' is named twice", topic.text));
      check_topic_name(topic.text, topic.location, diagnostics);
      out.topics.push_back(topic.text);
    }
    if (out.topics.empty()) diagnostics.error(config.location("topics"), "'topics' is empty", "name at least one topic");
  }
  if (!config.has("topic_pattern")) return;
  out.pattern_text = config.text("topic_pattern");
  try {
    out.pattern = std::regex(out.pattern_text, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error&) {
    diagnostics.error(config.location("topic_pattern"), "this is not a regular expression (ECMAScript)",
                      "write bids-.* for all topics that begin with bids-");
  }
}

void read_group(const Config& config, KafkaSourceSettings& out, Diagnostics& diagnostics) {
  if (config.has("group")) {
    out.group = config.text("group");
    if (out.group.starts_with("weir-"))
      diagnostics.error(config.location("group"), "a group may not begin with 'weir-'",
                        "groups of this name hold the markers of exactly-once jobs");
  }
  out.commit_offsets = config.boolean("commit_offsets");
  if (!config.ok()) return;  // the group may be what is wrong
  if (config.given("commit_offsets") && out.group.empty())
    diagnostics.error(config.location("commit_offsets"), "commit_offsets needs a group", "write group: NAME");
  if (out.start.kind == StartRule::Kind::kCommitted && out.group.empty())
    diagnostics.error(config.location("start"), "start: committed needs a group", "write group: NAME");
}

/// The columns of the value, then the metadata columns, all once.
void read_columns(const Component& component, std::vector<Field> columns, KafkaSourceSettings& out,
                  Diagnostics& diagnostics) {
  const Config& config = component.config;
  out.value_columns = static_cast<int>(columns.size());
  const auto add = [&](RecordField field, const Location& where) {
    if (std::find(out.metadata.begin(), out.metadata.end(), field) != out.metadata.end()) return false;
    Field column = column_of(field);
    for (const Field& f : columns)
      if (f.name == column.name)
        diagnostics.error(where, fmt::format("column '{}' is in schema and in metadata", column.name),
                          "rename the column of the schema");
    columns.push_back(std::move(column));
    out.metadata.push_back(field);
    return true;
  };
  if (config.has("metadata"))
    for (const Text& name : config.texts("metadata"))
      if (!add(*record_field(name.text), name.location))
        diagnostics.error(name.location, fmt::format("column '{}' is named twice", name.text));
  // An event time that is or uses _timestamp needs the column, asked for or not.
  const bool has_event_time = config.has("event_time") && config.object("event_time").has("column");
  if (has_event_time && config.object("event_time").expression("column").text.find("_timestamp") != std::string::npos)
    add(RecordField::kTimestamp, config.location("event_time"));
  out.schema = std::make_shared<const Schema>(std::move(columns));
  out.has_event_time = has_event_time;
}

void check_embedded(const KafkaSourceSettings& source, const Config& config, Diagnostics& diagnostics) {
  if (!source.cluster->connection().embedded) return;
  if (source.start.kind == StartRule::Kind::kTimestamp)
    diagnostics.error(config.location("start"), "the embedded broker cannot find offsets by time",
                      "start at earliest or latest");
  if (source.end.kind == EndRule::Kind::kTimestamp)
    diagnostics.error(config.location("end"), "the embedded broker cannot find offsets by time", "end at latest");
}

/// A row of nulls must be possible.
void check_tombstone_rows(const Config& config, const std::vector<Field>& columns, Diagnostics& diagnostics) {
  for (const Field& f : columns)
    if (!f.nullable)
      diagnostics.error(config.location("tombstone"),
                        fmt::format("a tombstone cannot be a row of nulls: column '{}' is not null", f.name),
                        "take `not null` away, or write tombstone: skip");
}

std::unique_ptr<BoundSource> bind(const Component& component, BindContext& context,
                                  std::shared_ptr<EmbeddedBrokers> embedded) {
  Diagnostics& diagnostics = context.diagnostics;
  const std::size_t before = diagnostics.errors();
  const Config& config = component.config;
  const KafkaConnectionPtr connection = read_kafka_connection(component, context.file, diagnostics);
  std::optional<SourceFormat> format = bind_source_format(component, diagnostics);
  refuse_header(component, diagnostics);
  if (!connection || !format) return nullptr;
  auto source = std::make_shared<KafkaSourceSettings>();
  source->name = component.name;
  source->cluster = std::make_shared<const Cluster>(connection, std::move(embedded));
  read_topics(config, *source, diagnostics);
  const WrittenTopics topics{source->topics.size() == 1, [&](const std::string& topic) { return source->reads(topic); },
                             source->topics};
  source->start = read_start(config, topics, diagnostics);
  source->end = read_end(config, topics, diagnostics);
  read_group(config, *source, diagnostics);
  source->read_committed = config.text("isolation") == "read_committed";
  source->offset_lost = read_lost(config.text("offset_lost"));
  source->topic_recreated = read_lost(config.text("topic_recreated"));
  const std::string& tombstone = config.text("tombstone");
  source->tombstone = tombstone == "skip" ? Tombstone::kSkip : tombstone == "row" ? Tombstone::kRow : Tombstone::kFail;
  source->null_is_value = component.format->type == "raw";
  if (source->tombstone == Tombstone::kRow && !source->null_is_value)
    check_tombstone_rows(config, format->columns, diagnostics);
  source->on_error = read_on_error(config);
  source->format = format->decoders;
  source->discovery = config.duration("discovery");
  read_columns(component, std::move(format->columns), *source, diagnostics);
  read_properties(config, "properties", PropertyUse::kConsumer, source->properties, diagnostics);
  check_embedded(*source, config, diagnostics);
  if (diagnostics.errors() != before) return nullptr;
  return std::make_unique<KafkaSource>(std::move(source));
}

}  // namespace

BindSource bind_kafka_source(std::shared_ptr<EmbeddedBrokers> embedded) {
  return [embedded](const Component& component, BindContext& context) { return bind(component, context, embedded); };
}

}  // namespace weir
