#include <catch2/catch.hpp>

#include "runtime/api/row_errors.h"
#include "tests/connectors/kafka/kafka_binding.h"
#include "tests/support/batches.h"

using namespace weir;
using Catch::Contains;

namespace {

const SchemaPtr kInput = schema_of("id bigint, name varchar, at timestamp, _key bytea");

/// What is said about a source, a sink or a connection that cannot be bound.
std::string about_source(const std::string& keys, const std::string& connection = "brokers: \"b:9092\"") {
  KafkaPipeline pipeline(connection);
  CHECK(!pipeline.source(keys));
  return pipeline.said();
}
std::string about_sink(const std::string& keys, const SchemaPtr& input = kInput) {
  KafkaPipeline pipeline("brokers: \"b:9092\"");
  CHECK(!pipeline.sink(keys, input));
  return pipeline.said();
}
std::string about_connection(const std::string& connection) { return about_source("topic: t", connection); }

}  // namespace

TEST_CASE("a source has its columns, then its metadata columns") {
  KafkaPipeline pipeline;
  const auto source = pipeline.source("topic: t, schema: {id: bigint}, metadata: [_offset, _key], on_error: emit");
  INFO(pipeline.problems());
  REQUIRE(source);
  CHECK(!source->bounded());
  REQUIRE(source->ports().size() == 2);
  const Schema& schema = *source->ports()[0].schema;
  REQUIRE(schema.size() == 3);
  CHECK(schema[0] == Field{"id", Type::bigint(), true, false});
  CHECK(schema[1] == Field{"_offset", Type::bigint(), false, true});
  CHECK(schema[2] == Field{"_key", Type::bytea(), true, true});
}

TEST_CASE("an event time of _timestamp brings its column") {
  KafkaPipeline pipeline;
  const auto source = pipeline.source("topic: t, schema: {id: bigint}, event_time: {column: _timestamp}");
  INFO(pipeline.problems());
  REQUIRE(source);
  CHECK(source->ports()[0].schema->find("_timestamp") == 1);
}

TEST_CASE("a source names its topics in one way") {
  CHECK_THAT(about_source("end: latest"), Contains("needs one of topic, topics or topic_pattern"));
  CHECK_THAT(about_source("topics: [a, a]"), Contains("topic 'a' is named twice"));
  CHECK_THAT(about_source("topic_pattern: \"a(\""), Contains("not a regular expression"));
}

TEST_CASE("start and end are checked") {
  CHECK_THAT(about_source("topic: t, start: committed"), Contains("needs a group"));
  CHECK_THAT(about_source("topics: [a, b], start: {offsets: {0: 1}}"), Contains("needs offsets per topic"));
  CHECK_THAT(about_source("topic: t, start: {offsets: {x: 1}}"), Contains("a partition is a whole number, not 'x'"));
  CHECK_THAT(about_source("topic: t, start: {offsets: {0: x}}"), Contains("an offset is a whole number, not 'x'"));
  CHECK_THAT(about_source("topic: t, start: middle"), Contains("middle"));
}

TEST_CASE("start and end name topics that the source reads") {
  CHECK_THAT(about_source("topic: bids, start: {offsets: {bid: {0: 1}}}"),
             Contains("the source does not read topic 'bid' (did you mean bids?)"));
  CHECK_THAT(about_source("topics: [a, b], end: {offsets: {a: {0: 1}, zz: {0: 1}}}"),
             Contains("the source does not read topic 'zz'"));
  CHECK_THAT(about_source("topic_pattern: \"bids-.*\", end: {offsets: {bids-1: {0: 1}, asks-1: {0: 1}}}"),
             Contains("topic 'asks-1'"));
  CHECK_THAT(about_source("topic_pattern: \"bids-.*\", start: {offsets: {0: 1}}"), Contains("needs offsets per topic"));
  KafkaPipeline pipeline;
  CHECK(pipeline.source("topic: a, start: {offsets: {a: {0: 1}}}"));
}

TEST_CASE("what no record could meet is refused") {
  CHECK_THAT(about_source("topic: t, format: {type: csv, header: true}, schema: {id: bigint}"),
             Contains("a header is the first line of a file"));
  CHECK_THAT(about_sink("topic: t, format: {type: csv, header: true}"), Contains("a header is the first line of a file"));
  CHECK_THAT(
      about_source("topic: t, schema: {id: bigint, n: bigint not null}, tombstone: row"),
      Contains(
          "a tombstone cannot be a row of nulls: column 'n' is not null (take `not null` away, or write tombstone: skip)"));
  CHECK_THAT(about_source("topic: \"\""), Contains("'topic' is empty"));
  CHECK_THAT(about_source("topics: [a, \"\"]"), Contains("'topic' is empty"));
  CHECK_THAT(about_sink("topic: \"\""), Contains("is empty"));
  CHECK_THAT(about_sink("topic: t, value: [id, name, id]"), Contains("column 'id' is named twice"));
}

TEST_CASE("a group that may hold markers is refused") {
  CHECK_THAT(about_source("topic: t, group: weir-x"), Contains("may not begin with 'weir-'"));
  CHECK_THAT(about_source("topic: t, commit_offsets: true"), Contains("commit_offsets needs a group"));
}

TEST_CASE("metadata columns are there once") {
  CHECK_THAT(about_source("topic: t, metadata: [_key, _key]"), Contains("named twice"));
  CHECK_THAT(about_source("topic: t, metadata: [_kee]"), Contains("_kee"));
  CHECK_THAT(about_source("topic: t, schema: {_key: bytea}, metadata: [_key]"), Contains("in schema and in metadata"));
}

TEST_CASE("properties that weir relies on are refused with the reason") {
  CHECK_THAT(about_source("topic: t, properties: {group.id: g}"),
             Contains("'group.id' cannot be given here (write group of the source)"));
  CHECK_THAT(about_source("topic: t, properties: {auto.offset.reset: earliest}"),
             Contains("an offset that is gone must be an error"));
  CHECK_THAT(about_connection("brokers: b, properties: {bootstrap.servers: x}"),
             Contains("write brokers of the connection"));
  CHECK_THAT(about_connection("brokers: b, producer: {enable.idempotence: false}"), Contains("follows from guarantee"));
  CHECK_THAT(about_source("topic: t, properties: {fetch.wait.max.m: 5}"),
             Contains("'fetch.wait.max.m' is not a property of librdkafka (did you mean fetch.wait.max.ms?)"));
  CHECK_THAT(about_connection("brokers: b, producer: {linger.mss: 5}"), Contains("(did you mean linger.ms?)"));
  CHECK_THAT(about_connection("brokers: b, properties: {client.rackk: 5}"), Contains("(did you mean client.rack?)"));
  CHECK_THAT(about_sink("topic: t, properties: {compresion.type: lz4}"), Contains("(did you mean compression.type?)"));
  CHECK_THAT(about_sink("topic: t, properties: {linger.ms: 5}"), Contains("'linger.ms' is not a topic property"));
}

TEST_CASE("the value of a property is never printed") {
  const std::string said = about_connection("brokers: b, properties: {linger.ms: hunter2}");
  CHECK_THAT(said, Contains("does not take this value for 'linger.ms'"));
  CHECK_THAT(said, !Contains("hunter2"));
}

TEST_CASE("security needs what its protocol needs") {
  CHECK_THAT(about_connection("brokers: b, security: {protocol: sasl_ssl, user: u, password: p}"),
             Contains("needs a mechanism"));
  CHECK_THAT(about_connection("brokers: b, security: {protocol: sasl_ssl, mechanism: plain}"),
             Contains("needs user and password"));
  CHECK_THAT(about_connection("brokers: b, security: {protocol: ssl, mechanism: plain}"),
             Contains("mechanism needs a protocol with sasl"));
  CHECK_THAT(about_connection("brokers: embedded, security: {protocol: ssl}"),
             Contains("the embedded broker has no security"));
}

TEST_CASE("the embedded broker finds no offsets by time") {
  CHECK_THAT(about_source("topic: t, start: {timestamp: 5}", "brokers: embedded"), Contains("cannot find offsets by time"));
  CHECK_THAT(about_source("topic: t, end: {timestamp: 5}", "brokers: embedded"), Contains("cannot find offsets by time"));
}

TEST_CASE("a sink that cannot be bound says why") {
  CHECK_THAT(about_sink("topic: {expr: name}"), Contains("needs the topics that it may give"));
  CHECK_THAT(about_sink("topic: {expr: id}, topics: [a]"), Contains("topic must be varchar, not bigint"));
  CHECK_THAT(about_sink("topic: t, topics: [a]"), Contains("topics is for a topic by expression"));
  CHECK_THAT(about_sink("topic: t, key: nam"), Contains("unknown column 'nam' (did you mean name?)"));
  CHECK_THAT(about_sink("topic: t, key: [id, name], key_format: raw"), Contains("a key of several columns is JSON"));
  CHECK_THAT(about_sink("topic: t, key_format: json"), Contains("key_format needs a key"));
  CHECK_THAT(about_sink("topic: t, value: [id, x]"), Contains("unknown column 'x'"));
  CHECK_THAT(about_sink("topic: t, partition: name"), Contains("partition must be int or bigint, not varchar"));
  CHECK_THAT(about_sink("topic: t, timestamp: name"), Contains("timestamp must be a timestamp or epoch milliseconds"));
  CHECK_THAT(about_sink("topic: t, headers: _headers"),
             Contains("the input has no column _headers (add it at the source: metadata: [_headers])"));
  CHECK_THAT(about_sink("topic: t, format: raw"), Contains("format raw writes one column, and there are 3"));
  CHECK_THAT(about_sink("topic: t, format: raw, value: id"), Contains("column id is bigint"));
}

TEST_CASE("a sink behind a changelog says how changes are written") {
  Schema changes(kInput->fields());
  changes.set_changelog(true);
  const auto changelog = std::make_shared<const Schema>(changes);
  CHECK_THAT(about_sink("topic: t, key: id", changelog),
             Contains("the sink 'out' does not say how that is written (write changelog: upsert"));
  CHECK_THAT(about_sink("topic: t, changelog: upsert", changelog),
             Contains("upsert needs the key by which a record replaces another"));
  CHECK_THAT(about_sink("topic: t, changelog: upset, key: id", changelog), Contains("did you mean upsert?"));
  CHECK_THAT(about_sink("topic: t, format: raw, value: name, changelog: append_op", changelog),
             Contains("format raw has no place for the column 'op'"));
  CHECK_THAT(about_sink("topic: t, changelog: append_op", schema_of("op varchar")), Contains("there is one already"));
}

TEST_CASE("the key of an upsert sink tells the rows of the changelog apart") {
  const auto changelog = [](std::vector<std::vector<int>> keys) {
    Schema changes(kInput->fields());
    changes.set_changelog(true);
    changes.set_keys(std::move(keys));
    return std::make_shared<const Schema>(changes);
  };
  const auto taken = [&](const std::string& keys, const SchemaPtr& input) {
    KafkaPipeline pipeline("brokers: \"b:9092\"");
    const bool bound = pipeline.sink("topic: t, changelog: upsert, " + keys, input) != nullptr;
    INFO(pipeline.problems());
    CHECK(bound);
  };
  const auto refused = [&](const std::string& keys, const SchemaPtr& input) {
    return about_sink("topic: t, changelog: upsert, " + keys, input);
  };
  const SchemaPtr by_id = changelog({{0}}), by_both = changelog({{0, 2}, {0, 1}}), one_row = changelog({{}}),
                  unknown = changelog({});
  taken("key: id", by_id);
  taken("key: [name, id]", by_id);
  taken("key: {expr: \"'no ' || id\"}", by_id);
  taken("key: name", one_row);
  taken("key: [id, name]", by_both);
  taken("key: id, partition: \"id % 3\"", by_id);
  taken("key: name", kInput);
  CHECK_THAT(refused("key: name", by_id), Contains("several rows of the result may have this key, of which upsert would "
                                                   "leave one; they are told apart by id (write key: id)"));
  CHECK_THAT(refused("key: {expr: upper(name)}", by_id), Contains("told apart by id"));
  CHECK_THAT(refused("key: id", by_both), Contains("told apart by [id, at] or [id, name] (write key: [id, at])"));
  CHECK_THAT(refused("key: id", unknown), Contains("what tells the rows of its input apart, and that is not known"));
  CHECK_THAT(refused("key: {expr: \"id || random()::varchar\"}", by_id), Contains("the key depends on more than the row"));
  CHECK_THAT(refused("key: id, partition: \"length(name)\"", by_id), Contains("this one depends on more than the key"));
  CHECK_THAT(refused("key: nam", by_id), Contains("did you mean name?") && !Contains("told apart"));
}

TEST_CASE("a sink has an errors stream only with on_error: emit") {
  KafkaPipeline pipeline;
  const auto plain = pipeline.sink("topic: t", kInput);
  REQUIRE(plain);
  CHECK(plain->ports().empty());
  CHECK(plain->guarantee() == "at_least_once");
  KafkaPipeline other;
  const auto emits = other.sink("topic: t, on_error: emit", kInput);
  REQUIRE(emits);
  REQUIRE(emits->ports().size() == 1);
  CHECK(*emits->ports()[0].schema == *error_schema());
}

TEST_CASE("sinks that share the producer of a topic give it the same properties") {
  const auto said = [](const std::string& a, const std::string& b) {
    Components components = kafka_components();
    Diagnostics diagnostics;
    const auto text =
        std::make_shared<const SourceText>("t.yaml",
                                           "name: t\nconnections:\n  main: {type: kafka, brokers: \"b:9092\"}\nsources:\n  "
                                           "in: {type: kafka, connection: main, topic: t}\nsinks:\n"
                                           "  a: {from: in, type: kafka, connection: main, topic: o" +
                                               a + "}\n  b: {from: in, type: kafka, connection: main, topic: o" + b + "}\n");
    class NoEnvironment final : public Environment {
      std::optional<std::string> variable(const std::string&) const override { return std::nullopt; }
      std::string file(const std::string&) const override { return {}; }
    };
    const auto file = read_pipeline(text, {}, NoEnvironment(), components.catalogue(), diagnostics);
    REQUIRE(file);
    BindContext context{*file, diagnostics};
    for (const Component& sink : file->sinks)
      components.sink("kafka")(sink, {{"in", "", kInput, sink.inputs[0].location}}, context);
    return diagnostics.format();
  };
  const std::string lz4 = ", properties: {compression.codec: lz4}", zstd = ", properties: {compression.codec: zstd}";
  CHECK_THAT(said(lz4, zstd), Contains("the sink 'a' writes topic o with other properties"));
  CHECK_THAT(said(lz4, ""), Contains("the sink 'a' writes topic o with other properties"));
  CHECK_THAT(said(", guarantee: exactly_once", lz4), Contains("the sink 'a' writes topic o with other properties"));
  CHECK_THAT(said(lz4, lz4), !Contains("other properties"));
  CHECK_THAT(said(lz4, ", guarantee: none" + zstd), !Contains("other properties"));
}
