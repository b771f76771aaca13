#include "runtime/config/reference.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/runtime/config/sample_catalogue.h"

using namespace weir;

TEST_CASE("a reference page has the summary, every key, caveats and examples") {
  const Catalogue catalogue = sample_catalogue();
  const std::string page = reference_page(*catalogue.find(ComponentKind::kSource, "kafka"));
  CHECK(page.starts_with("source kafka\n\n  Reads topics of a Kafka cluster.\n  - A row may come twice"));
  CHECK(
      page.find("\n  discovery  (a duration, default 5m)\n      How often to look for new partitions; 0 turns it off.\n") !=
      std::string::npos);
  CHECK(page.find("\n  on_error  (fail, skip or emit, default fail)\n") != std::string::npos);
  CHECK(page.find("\n  start  (earliest, latest, committed, {committed: ...}, {timestamp: ...} or {offsets: ...}, default "
                  "earliest)\n") != std::string::npos);
  CHECK(page.find("Exactly one of topic, topics or topic_pattern.") != std::string::npos);
  CHECK(page.find("\nExample\n  type: kafka\n  connection: main\n  topic: bids\n") != std::string::npos);
  CHECK(reference_page(*catalogue.find(ComponentKind::kStep, "join")).find("Not supported yet.") != std::string::npos);
}

TEST_CASE("the list of components names each with its summary") {
  const std::string list = component_list(sample_catalogue());
  CHECK(list.find("sources\n  kafka        Reads topics of a Kafka cluster.\n") != std::string::npos);
  CHECK(list.find("  join         Joins two inputs. (not supported yet)\n") != std::string::npos);
}

TEST_CASE("the JSON schema knows the top level and every component that is built") {
  const auto schema = nlohmann::json::parse(json_schema(sample_catalogue()));
  CHECK(schema["properties"].contains("checkpoint"));
  CHECK_FALSE(schema["properties"].contains("tests"));
  CHECK(schema["required"][0] == "name");
  const auto& sources = schema["properties"]["sources"]["additionalProperties"]["anyOf"];
  REQUIRE(sources.size() == 2);
  CHECK(sources[0]["properties"]["type"]["const"] == "kafka");
  CHECK(sources[0]["properties"]["start"]["default"] == "earliest");
  CHECK(sources[0]["additionalProperties"] == false);
  CHECK_FALSE(sources[1]["properties"].contains("format"));
}

TEST_CASE("a component declared twice is a bug") {
  Catalogue catalogue = sample_catalogue();
  Declaration again;
  again.kind = ComponentKind::kSource;
  again.name = "kafka";
  CHECK_THROWS_AS(catalogue.add(again), Error);
}
