#include <catch2/catch.hpp>
#include <set>

#include "runtime/base/error.h"
#include "tests/connectors/kafka/kafka_binding.h"
#include "tests/connectors/kafka/running.h"

using namespace weir;

namespace {

const SchemaPtr kInput = schema_of("id bigint, name varchar");

}  // namespace

TEST_CASE("rows written to the embedded broker are read again") {
  KafkaPipeline pipeline;
  TestAttempt attempt;
  const auto sink = pipeline.sink("topic: t, key: id", kInput);
  const auto source =
      pipeline.source("topic: t, end: latest, schema: {id: bigint, name: varchar}, metadata: [_key, _topic]");
  INFO(pipeline.problems());
  REQUIRE((sink && source));
  write_all(*sink, attempt, {batch_of(kInput, {"1|a", "2|null"}), batch_of(kInput, {"3|c"})});
  auto rows = read_all(*source, attempt).rows;
  std::sort(rows.begin(), rows.end());
  CHECK(rows == std::vector<std::string>{R"({"id":1,"name":"a","_key":"MQ==","_topic":"t"})",
                                         R"({"id":2,"name":null,"_key":"Mg==","_topic":"t"})",
                                         R"({"id":3,"name":"c","_key":"Mw==","_topic":"t"})"});
}

TEST_CASE("what was read from an embedded broker that is gone cannot be continued") {
  TestAttempt attempt;
  std::vector<SplitState> splits;
  {
    KafkaPipeline pipeline;
    const auto source = pipeline.source("topic: t");
    splits = source->create_enumerator(attempt.context())->discover({});
    CHECK(splits.size() == 4);
    CHECK(source->create_enumerator(attempt.context())->restore(splits) == splits);
  }
  KafkaPipeline other;
  const auto source = other.source("topic: t");
  CHECK_THROWS_WITH(source->create_enumerator(attempt.context())->restore(splits),
                    Catch::Contains("embedded broker that is gone"));
}

namespace {

using Kinds = std::vector<RowKind>;
constexpr RowKind kI = RowKind::kInsert, kB = RowKind::kUpdateBefore, kA = RowKind::kUpdateAfter, kD = RowKind::kDelete;

/// The records that a sink with these keys writes for changes: `key value`, in order.
std::vector<std::string> written(const std::string& keys, const std::vector<BatchPtr>& batches,
                                 std::vector<std::string>* errors = nullptr) {
  KafkaPipeline pipeline;
  TestAttempt attempt;
  const auto sink = pipeline.sink("topic: t, partition: \"0\", " + keys, batches.front()->schema());
  const auto source = pipeline.source("topic: t, end: latest, format: raw, metadata: [_key]");
  INFO(pipeline.problems());
  REQUIRE((sink && source));
  const auto bad = write_all(*sink, attempt, batches);
  if (errors) *errors = bad;
  std::vector<std::string> lines;
  for (const BatchPtr& batch : read_all(*source, attempt).batches) {
    for (std::int64_t i = 0; i < batch->rows(); ++i) {
      const Column &value = batch->column(0), &key = batch->column(1);
      lines.push_back((key.valid(i) ? std::string(key.text(i)) : "null") + " " +
                      (value.valid(i) ? std::string(value.text(i)) : "null"));
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("upsert writes what is there now, and a tombstone for what is gone") {
  CHECK(written("key: id, changelog: upsert", {batch_of(kInput, {"1|a", "2|b", "1|a", "1|c"}, {kI, kI, kB, kA}),
                                               batch_of(kInput, {"2|b", "1|c", "1|d"}, {kD, kB, kA})}) ==
        std::vector<std::string>{R"(1 {"id":1,"name":"a"})", R"(2 {"id":2,"name":"b"})", R"(1 {"id":1,"name":"c"})",
                                 "2 null", R"(1 {"id":1,"name":"d"})"});
}

TEST_CASE("upsert deletes what an update moves away or a filter keeps back") {
  CHECK(written("key: name, value: id, changelog: upsert",
                {batch_of(kInput, {"1|a", "1|b", "2|b"}, {kB, kA, kB}), batch_of(kInput, {"3|b"}, {kA})}) ==
        std::vector<std::string>{"a null", R"(b {"id":1})", "b null", R"(b {"id":3})"});
}

TEST_CASE("upsert of rows that never change writes them all") {
  CHECK(written("key: id, key_format: json, format: csv, changelog: upsert", {batch_of(kInput, {"1|a", "1|b"})}) ==
        std::vector<std::string>{"1 1,a", "1 1,b"});
}

TEST_CASE("upsert needs a key for every row") {
  std::vector<std::string> errors;
  CHECK(written("key: name, changelog: upsert, on_error: skip",
                {batch_of(kInput, {"1|null", "2|a", "3|null"}, {kI, kI, kD})},
                &errors) == std::vector<std::string>{R"(a {"id":2,"name":"a"})"});
  CHECK(written("key: [name], changelog: upsert", {batch_of(kInput, {"1|null", "1|null"}, {kI, kD})}) ==
        std::vector<std::string>{R"({"name":null} {"id":1,"name":null})", R"({"name":null} null)"});
}

TEST_CASE("an update whose new row cannot be written is a delete") {
  CHECK(written("key: id, format: raw, value: name, changelog: upsert, on_error: skip",
                {batch_of(kInput, {"1|a", "1|a", "1|null"}, {kI, kB, kA})}) == std::vector<std::string>{"1 a", "1 null"});
}

TEST_CASE("append_op writes every change with its kind") {
  CHECK(written("key: id, changelog: append_op, value: [name]",
                {batch_of(kInput, {"1|a", "1|a", "1|b", "1|b"}, {kI, kB, kA, kD}), batch_of(kInput, {"2|x"}, {kI})}) ==
        std::vector<std::string>{R"(1 {"op":"+I","name":"a"})", R"(1 {"op":"-U","name":"a"})", R"(1 {"op":"+U","name":"b"})",
                                 R"(1 {"op":"-D","name":"b"})", R"(2 {"op":"+I","name":"x"})"});
}

TEST_CASE("changes without a key stay in the partition of their task") {
  KafkaPipeline pipeline;
  TestAttempt attempt;
  Schema fields(kInput->fields());
  fields.set_changelog(true);
  const auto changelog = std::make_shared<const Schema>(fields);
  const auto changes = [&](const char* row, RowKind kind) { return batch_of(changelog, {row}, {kind}); };
  const std::vector<BatchPtr> batches = {changes("1|a", kI), changes("1|a", kB), changes("1|b", kA), changes("1|b", kD)};
  const auto sink = pipeline.sink("topic: t, changelog: append_op", changelog);
  const auto source = pipeline.source("topic: t, end: latest, format: raw, metadata: [_partition]");
  INFO(pipeline.problems());
  REQUIRE((sink && source));
  write_all(*sink, attempt, batches);
  const auto read = read_all(*source, attempt);
  std::set<std::string> partitions;
  for (const std::string& row : read.rows) partitions.insert(row.substr(row.find("\"_partition\"")));
  CHECK(read.rows.size() == 4);
  CHECK(partitions == std::set<std::string>{R"("_partition":0})"});
}

namespace {

/// 2000 rows for one partition, of which the fourth is long.
BatchPtr rows_with_a_long_one() {
  std::vector<std::string> rows;
  for (int i = 0; i < 2000; ++i) rows.push_back(fmt::format("{}|{}", i, std::string(i == 3 ? 5000 : 100, 'x')));
  return batch_of(kInput, rows);
}

}  // namespace

TEST_CASE("a row that is larger than the connection's message.max.bytes is one bad row among many") {
  for (const char* where : {"producer", "properties"}) {
    for (const char* more : {"", ", headers: {who: \"'weir'\"}"}) {
      INFO(where << more);
      KafkaPipeline pipeline(fmt::format("brokers: embedded, {}: {{message.max.bytes: 2000}}", where));
      const std::string keys = std::string("topic: t, partition: \"0\"") + more;
      {
        TestAttempt attempt;
        const auto sink = pipeline.sink(keys, kInput);
        CHECK_THROWS_WITH(write_all(*sink, attempt, {rows_with_a_long_one()}),
                          Catch::Contains("message.max.bytes of connection main") && Catch::Contains("it is 2000") &&
                              Catch::Contains(R"("id":3)"));
      }
      TestAttempt attempt;
      const auto sink = pipeline.sink(keys + ", on_error: emit", kInput);
      CHECK(write_all(*sink, attempt, {rows_with_a_long_one()}).size() == 1);
      CHECK(read_all(*pipeline.source("topic: t, end: latest, format: raw"), attempt).rows.size() >= 1999);
    }
  }
}

TEST_CASE("headers count for message.max.bytes") {
  KafkaPipeline pipeline("brokers: embedded, producer: {message.max.bytes: 2000}");
  TestAttempt attempt;
  const auto sink = pipeline.sink("topic: t, partition: \"0\", value: [id], headers: {n: name}", kInput);
  CHECK_THROWS_WITH(write_all(*sink, attempt, {rows_with_a_long_one()}),
                    Catch::Contains("message.max.bytes of connection main") &&
                        Catch::Contains("bytes of key, value and headers, it is 2000"));
}

namespace {

const SchemaPtr kTimed = schema_of("id bigint, at timestamp, other timestamp", "at");
constexpr std::int64_t kNow = 1'704'067'200'000'000;  // of a test's clock

/// The record times in milliseconds that rows `id|at|other` get, -1 for a row that is refused; `errors` says why.
std::vector<std::int64_t> record_times(const std::string& keys, const std::vector<std::string>& rows,
                                       std::string* errors = nullptr) {
  KafkaPipeline pipeline;
  TestAttempt attempt;
  const auto sink = pipeline.sink("topic: t, partition: \"0\", key: id, value: [id], on_error: emit" + keys, kTimed);
  const auto source = pipeline.source("topic: t, end: latest, format: raw, metadata: [_key, _timestamp]");
  INFO(pipeline.problems());
  REQUIRE((sink && source));
  for (const std::string& error : write_all(*sink, attempt, {batch_of(kTimed, rows)}))
    if (errors) *errors += error;
  std::vector<std::int64_t> times(rows.size(), -1);
  for (const BatchPtr& batch : read_all(*source, attempt).batches)
    for (std::int64_t i = 0; i < batch->rows(); ++i)
      times[std::stoull(std::string(batch->column(1).text(i)))] = batch->column(2).values<std::int64_t>()[i] / 1000;
  return times;
}

}  // namespace

TEST_CASE("a record's time is the event time of its row, but not later than now") {
  using Times = std::vector<std::int64_t>;
  const std::vector<std::string> rows = {fmt::format("0|{}|null", kNow - 1'234'567),
                                         fmt::format("1|{}|null", kNow + 86'400'000'000), "2|500|null"};
  CHECK(record_times("", rows) == Times{kNow / 1000 - 1235, kNow / 1000, 1});
  CHECK(record_times(", timestamp: at", rows) == Times{kNow / 1000 - 1235, kNow / 1000 + 86'400'000, 1});  // exact
  const std::vector<std::string> some = {fmt::format("0|{}|{}", kNow + 5'000'000, kNow + 9'000'000),
                                         fmt::format("1|{}|null", kNow + 5'000'000)};
  CHECK(record_times(", timestamp: other", some) == Times{kNow / 1000 + 9000, kNow / 1000});
}

TEST_CASE("a row before 1970 says where its record's time comes from and how to choose another") {
  const std::vector<std::string> rows = {"0|-152668800000000|1", "1|500|-5", "2|0|1000", "3|1000|1000"};
  std::string errors;
  CHECK(record_times("", rows, &errors) == std::vector<std::int64_t>{-1, 1, -1, 1});
  CHECK_THAT(errors, Catch::Contains("the event time of the row is taken for the record, as the sink has no `timestamp`") &&
                         Catch::Contains("it is 1965-03-01T00:00:00.000Z") && Catch::Contains("takes 0 for now") &&
                         Catch::Contains("now()") && Catch::Contains("greatest(at, timestamp"));
  errors.clear();
  CHECK(record_times(", timestamp: other", rows, &errors) == std::vector<std::int64_t>{1, -1, 1, 1});
  CHECK_THAT(errors, Catch::Contains("timestamp: other gives 1969-12-31T23:59:59.999995Z"));
  errors.clear();
  CHECK(record_times(", timestamp: \"id - 2\"", rows, &errors) == std::vector<std::int64_t>{-1, -1, -1, 1});
  CHECK_THAT(errors, Catch::Contains("gives -2 ms") && Catch::Contains("gives 0 ms"));
}
