#include "connectors/kafka/sink/sink.h"

#include <spdlog/spdlog.h>

#include "connectors/formats/formats.h"
#include "connectors/kafka/client/properties.h"
#include "connectors/kafka/client/topic_name.h"
#include "connectors/kafka/exactly_once/authority.h"
#include "connectors/kafka/exactly_once/exactly_once.h"
#include "connectors/kafka/sink/sink_operator.h"
#include "connectors/kafka/sink/sink_settings.h"
#include "runtime/api/united_inputs.h"

namespace weir {
namespace {

class KafkaSink final : public BoundSink {
 public:
  explicit KafkaSink(KafkaSinkSettingsPtr settings)
      : settings_(std::move(settings)), ports_(with_errors_port({}, settings_->on_error)) {}

  const std::vector<Port>& ports() const override { return ports_; }
  std::unique_ptr<Operator> create(AttemptContext& attempt) const override {
    return std::make_unique<KafkaSinkOperator>(settings_, attempt);
  }
  void look_up(AttemptContext& attempt) const override { topics_of(attempt, *settings_); }
  std::string guarantee() const override { return to_string(settings_->guarantee); }
  void join_authority(AttemptContext& attempt) const override {
    if (settings_->guarantee == Guarantee::kExactlyOnce) lanes_of(attempt, settings_->cluster)->join(settings_->topics);
  }
  std::unique_ptr<CommitAuthority> create_authority(AttemptContext& attempt) const override {
    if (settings_->guarantee != Guarantee::kExactlyOnce) return nullptr;
    return std::make_unique<KafkaAuthority>(lanes_of(attempt, settings_->cluster));
  }
  std::unique_ptr<CommitAuthority> create_former_authority(AttemptContext& attempt) const override {
    if (settings_->cluster->connection().embedded) return nullptr;
    const auto lanes = std::make_shared<Lanes>(settings_->cluster, attempt);
    lanes->join(settings_->topics);
    return std::make_unique<KafkaAuthority>(lanes);
  }

 private:
  KafkaSinkSettingsPtr settings_;
  std::vector<Port> ports_;
};

/// Reads the keys of one sink; each part reports its own problems.
class Binder {
 public:
  Binder(const Component& component, SchemaPtr input, BindContext& context)
      : component_(component),
        config_(component.config),
        input_(std::move(input)),
        file_(context.file),
        diagnostics_(context.diagnostics) {}

  std::shared_ptr<KafkaSinkSettings> bind(ClusterPtr cluster) {
    auto sink = std::make_shared<KafkaSinkSettings>();
    sink->name = component_.name;
    sink->cluster = std::move(cluster);
    sink->input = input_;
    sink->on_error = read_on_error(config_);
    sink->guarantee = guarantee_of(component_, file_);
    if (sink->guarantee == Guarantee::kExactlyOnce) check_exactly_once(component_, file_, diagnostics_);
    read_topic(*sink);
    read_key(*sink);
    read_form(*sink);
    if (sink->changelog == ChangelogForm::kUpsert && input_->changelog()) check_upsert_key(*sink);
    read_value(*sink);
    refuse_header(component_, diagnostics_);
    read_headers(*sink);
    read_expressions(*sink);
    if (sink->changelog == ChangelogForm::kUpsert && input_->changelog()) {
      check_upsert_topic(*sink);
      check_upsert_partition(*sink);
      check_upserts_alone(*sink);
    }
    if (reads_errors() && component_.format->type == "raw") take_errors_stream(*sink);
    read_properties(config_, "properties", PropertyUse::kTopic, sink->properties, diagnostics_);
    check_same_properties(*sink);
    return sink;
  }

 private:
  void error(const char* key, std::string text, std::string hint = {}) {
    diagnostics_.error(config_.location(key), std::move(text), std::move(hint));
  }
  bool reads_errors() const { return input_->fields() == error_schema()->fields(); }

  void read_topic(KafkaSinkSettings& sink) {
    const Config& topic = config_.choice("topic");
    if (topic.form() == "name") {
      sink.topics = {topic.text("name")};
      check_topic_name(sink.topics[0], config_.location("topic"), diagnostics_);
      if (config_.has("topics")) error("topics", "topics is for a topic by expression", "write topic: {expr: \"…\"}");
      return;
    }
    sink.topic = bind_expression(topic.expression("expr"), *input_, Type::varchar(), "topic", diagnostics_);
    if (!config_.has("topics"))
      return !config_.ok()
                 ? void()
                 : error("topic", "a topic by expression needs the topics that it may give", "write topics: [a, b]");
    for (const Text& name : config_.texts("topics")) {
      if (std::find(sink.topics.begin(), sink.topics.end(), name.text) != sink.topics.end())
        diagnostics_.error(name.location, fmt::format("topic '{}' is named twice", name.text));
      check_topic_name(name.text, name.location, diagnostics_);
      sink.topics.push_back(name.text);
    }
    if (sink.topics.empty()) error("topics", "'topics' is empty", "name at least one topic");
  }

  void read_key(KafkaSinkSettings& sink) {
    const std::string format = config_.has("key_format") ? config_.text("key_format") : "";
    if (!config_.has("key")) {
      if (!format.empty() && config_.ok()) error("key_format", "key_format needs a key", "write key: COLUMN");
      return;
    }
    const Config& key = config_.choice("key");
    if (key.form() == "columns") return read_key_columns(key, format, sink);
    sink.key.kind = format == "json" ? KeyPlan::Kind::kJson : KeyPlan::Kind::kBytes;
    if (key.form() == "expr") {
      sink.key.expression = bind_expression(key.expression("expr"), *input_, diagnostics_);
      if (sink.key.expression) key_columns_ = sink.key.expression->columns();
    } else if (const auto column = find_column(key.located("column"), *input_, diagnostics_)) {
      sink.key.column = *column;
      key_columns_ = {*column};
    }
  }

  void read_key_columns(const Config& key, const std::string& format, KafkaSinkSettings& sink) {
    std::vector<int> columns;
    for (const Text& name : key.texts("columns"))
      if (const auto column = find_column(name, *input_, diagnostics_)) columns.push_back(*column);
    if (format == "raw") error("key_format", "a key of several columns is JSON", "write key_format: json, or one column");
    if (key.texts("columns").empty()) return error("key", "'key' names no column", "write key: COLUMN");
    if (columns.size() == key.texts("columns").size()) key_columns_ = columns;
    sink.key.kind = KeyPlan::Kind::kObject;
    sink.key.object = json_encoders(*input_, std::move(columns));
  }

  void read_form(KafkaSinkSettings& sink) {
    const auto form = read_changelog(component_, *input_, config_.location("from"), true, diagnostics_);
    sink.changelog = form.value_or(ChangelogForm::kNone);
    if (sink.changelog == ChangelogForm::kAppendOp) sink.with_op = with_op(*input_);
    if (sink.changelog == ChangelogForm::kUpsert && !config_.has("key") && config_.ok())
      error("changelog", "upsert needs the key by which a record replaces another", "write key: COLUMN");
  }

  /// A record replaces the one of its key: so each row of the result needs a key of its own. That an update may move a row
  /// to another key is well: its -U is a tombstone then.
  void check_upsert_key(const KafkaSinkSettings& sink) {
    if (!key_columns_ || !config_.ok()) return;  // reported, or there is none
    if (input_->keys().empty())
      return error("key",
                   "upsert needs to know what tells the rows of its input apart, and that is not known: a column of that "
                   "key was left out or replaced "
                   "by a select, or the input is a union",
                   "carry the columns of `by` (with a window also window_end) through every select, unite rows before they "
                   "are aggregated, or write "
                   "changelog: append_op");
    if (std::none_of(input_->keys().begin(), input_->keys().end(),
                     [&](const std::vector<int>& key) { return key_holds(key); })) {
      std::string all;
      for (const std::vector<int>& key : input_->keys()) all += (all.empty() ? "" : " or ") + names_of(key);
      error("key",
            fmt::format(
                "several rows of the result may have this key, of which upsert would leave one; they are told apart by {}",
                all),
            fmt::format("write key: {}", names_of(input_->keys().front())));
    } else if (sink.key.expression && !sink.key.expression->is_deterministic()) {
      error("key", "the key depends on more than the row, so what replaces or deletes a record would not find it",
            "compute it from columns alone");
    }
  }

  /// A tombstone must go where the record went.
  void check_upsert_topic(const KafkaSinkSettings& sink) {
    if (sink.topic && !sink.topic->is_deterministic())
      error("topic", "the topic depends on more than the row, so what replaces or deletes a record would not find it",
            "compute it from columns alone");
  }

  /// Only in one partition records of a key are in order.
  void check_upsert_partition(const KafkaSinkSettings& sink) {
    if (!sink.partition || !key_columns_) return;
    if (!key_holds(sink.partition->columns()) || !sink.partition->is_deterministic())
      error("partition",
            "upsert needs all records of a key in one partition, where they are in order, and this one depends on more than "
            "the key",
            "compute it from columns of the key, or leave it out");
  }

  /// What one sink deletes another may have written just before: a row that moves between the branches of a route would be
  /// lost.
  void check_upserts_alone(const KafkaSinkSettings& sink) {
    for (const Component& other : file_.sinks) {
      if (&other == &component_) return;  // each pair once, at the later one
      if (other.type != "kafka" || !other.ok() || other.connection != component_.connection ||
          !other.config.has("changelog") || other.config.text("changelog") != "upsert")
        continue;
      for (const std::string& topic : topics_of(other))
        if (std::find(sink.topics.begin(), sink.topics.end(), topic) != sink.topics.end())
          return error(
              "topic",
              fmt::format(
                  "the sink '{}' upserts into topic {}, too, and the records of a key would come from both in no order",
                  other.name, topic),
              "write to another topic, or bring the rows together before they are aggregated");
    }
  }

  /// Sinks of one guarantee share their producers, where a topic has one set of properties.
  void check_same_properties(const KafkaSinkSettings& sink) {
    for (const Component& other : file_.sinks) {
      if (&other == &component_) return;  // each pair once, at the later one
      if (other.type != "kafka" || !other.ok() || other.connection != component_.connection ||
          guarantee_of(other, file_) != sink.guarantee || properties_of(other) == properties_of(component_))
        continue;
      for (const std::string& topic : topics_of(other))
        if (std::find(sink.topics.begin(), sink.topics.end(), topic) != sink.topics.end())
          return error(
              config_.has("properties") ? "properties" : "topic",
              fmt::format(
                  "the sink '{}' writes topic {} with other properties, and sinks of a connection share what writes a topic",
                  other.name, topic),
              "give both sinks the same `properties`");
    }
  }

  static std::map<std::string, std::string> properties_of(const Component& sink) {
    std::map<std::string, std::string> found;
    if (sink.config.has("properties"))
      for (const NamedText& p : sink.config.entries("properties")) found[p.name] = p.text;
    return found;
  }

  static std::vector<std::string> topics_of(const Component& sink) {
    const Config& topic = sink.config.choice("topic");
    if (topic.form() == "name") return {topic.text("name")};
    std::vector<std::string> names;
    if (sink.config.has("topics"))
      for (const Text& name : sink.config.texts("topics")) names.push_back(name.text);
    return names;
  }

  bool key_holds(const std::vector<int>& columns) const {
    return std::all_of(columns.begin(), columns.end(), [&](int c) {
      return std::find(key_columns_->begin(), key_columns_->end(), c) != key_columns_->end();
    });
  }

  /// As `key` is written: one column, or a list.
  std::string names_of(const std::vector<int>& columns) const {
    std::string all;
    for (const int c : columns) all += (all.empty() ? "" : ", ") + (*input_)[c].name;
    return columns.size() == 1 ? all : "[" + all + "]";
  }

  void read_value(KafkaSinkSettings& sink) {
    std::vector<int> columns;
    bool good = true;
    if (config_.has("value")) {
      for (const Text& name : config_.texts("value")) {
        const auto column = find_column(name, *input_, diagnostics_);
        good &= column.has_value();
        if (column) columns.push_back(*column);
      }
    } else {
      for (int i = 0; i < input_->size(); ++i)
        if (!(*input_)[i].metadata) columns.push_back(i);
    }
    if (!good) return;
    if (sink.with_op && !put_op_first(component_, *input_, columns, diagnostics_)) return;
    if (component_.format->type != "raw")
      sink.format = bind_sink_format(component_, sink.with_op ? *sink.with_op : *input_, std::move(columns), diagnostics_);
    else if (!reads_errors() || config_.has("value")) read_raw(columns, sink);
  }

  void read_raw(const std::vector<int>& columns, KafkaSinkSettings& sink) {
    const char* where = config_.has("value") ? "value" : "format";
    if (columns.size() != 1)
      return error(where, fmt::format("format raw writes one column, and there are {}", columns.size()),
                   "write value: COLUMN");
    const Field& column = (*input_)[columns[0]];
    if (!column.type.is_binary())
      return error(where,
                   fmt::format("format raw writes bytea or varchar, and column {} is {}", column.name, column.type.name()),
                   fmt::format("cast it in a select: {}::varchar", column.name));
    sink.raw_column = columns[0];
  }

  /// Without other wishes an errors stream is written as it came: value and key, the rest as headers.
  void take_errors_stream(KafkaSinkSettings& sink) {
    if (!config_.has("value")) sink.raw_column = *input_->find("value");
    if (!config_.has("key")) sink.key = KeyPlan{.kind = KeyPlan::Kind::kBytes, .column = *input_->find("key")};
    if (config_.has("headers")) return;
    for (const char* name : {"topic", "partition", "offset", "step", "reason"})
      sink.headers.push_back({.name = name, .column = *input_->find(name)});
  }

  void read_headers(KafkaSinkSettings& sink) {
    if (!config_.has("headers")) return;
    const Config& headers = config_.choice("headers");
    if (headers.form() == "headers") {
      for (const NamedText& h : headers.entries("headers"))
        if (ExpressionPtr e = bind_expression(Text{h.text, h.location}, *input_, diagnostics_))
          sink.headers.push_back({.name = h.name, .expression = std::move(e)});
      return;
    }
    const auto column = input_->find("_headers");
    if (!column) return error("headers", "the input has no column _headers", "add it at the source: metadata: [_headers]");
    const Type wanted = Type::array(Type::row({{"key", Type::varchar()}, {"value", Type::bytea()}}));
    if (!((*input_)[*column].type == wanted))
      return error("headers", fmt::format("column _headers is {}, not {}", (*input_)[*column].type.name(), wanted.name()));
    sink.passed_headers = *column;
  }

  void read_expressions(KafkaSinkSettings& sink) {
    if (config_.has("timestamp")) {
      sink.timestamp = bind_expression(config_.expression("timestamp"), *input_, diagnostics_);
      if (sink.timestamp && sink.timestamp->type().kind() != TypeKind::kTimestamp && !is_whole(sink.timestamp->type()))
        error("timestamp",
              fmt::format("timestamp must be a timestamp or epoch milliseconds, not {}", sink.timestamp->type().name()));
    }
    if (config_.has("partition")) {
      sink.partition = bind_expression(config_.expression("partition"), *input_, diagnostics_);
      if (sink.partition && !is_whole(sink.partition->type()))
        error("partition", fmt::format("partition must be int or bigint, not {}", sink.partition->type().name()));
    }
  }

  static bool is_whole(const Type& type) { return type.kind() == TypeKind::kInt || type.kind() == TypeKind::kBigint; }

  const Component& component_;
  const Config& config_;
  SchemaPtr input_;
  const PipelineFile& file_;
  Diagnostics& diagnostics_;
  std::optional<std::vector<int>> key_columns_;  ///< what the key is made of
};

std::unique_ptr<BoundSink> bind(const Component& component, const std::vector<BoundInput>& inputs, BindContext& context,
                                std::shared_ptr<EmbeddedBrokers> embedded) {
  const std::size_t before = context.diagnostics.errors();
  KafkaConnectionPtr connection = read_kafka_connection(component, context.file, context.diagnostics);
  SchemaPtr input = unite(inputs, context.diagnostics);
  if (!connection || !input) return nullptr;
  auto cluster = std::make_shared<const Cluster>(std::move(connection), std::move(embedded));
  auto sink = Binder(component, std::move(input), context).bind(std::move(cluster));
  if (context.diagnostics.errors() != before) return nullptr;
  return std::make_unique<KafkaSink>(std::move(sink));
}

}  // namespace

BindSink bind_kafka_sink(std::shared_ptr<EmbeddedBrokers> embedded) {
  return [embedded](const Component& component, const std::vector<BoundInput>& inputs, BindContext& context) {
    return bind(component, inputs, context, embedded);
  };
}

}  // namespace weir
