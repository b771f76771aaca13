#include <catch2/catch.hpp>

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
