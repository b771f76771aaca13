#include "runtime/config/pipeline_file.h"

#include <catch2/catch.hpp>

#include "tests/runtime/config/sample_catalogue.h"

using namespace weir;

namespace {

const char* const kPipeline = R"(name: bids-per-minute
parallelism: 2
memory: 1GiB
checkpoint: { dir: state, interval: 1s }
restart: { attempts: 3 }
connections:
  main: { type: kafka, brokers: "${BROKERS:-localhost:9092}" }
sources:
  bids:
    type: kafka
    connection: main
    topic: bids
    format: { type: json, missing: fail }
    schema: { auction: bigint, price: double, at: timestamp }
    event_time: { column: at, max_out_of_orderness: 5s, idle_after: never }
    on_error: emit
  more: { type: generator, select: { auction: n } }
steps:
  dear: { from: bids, filter: "price > 100" }
  all: { from: [dear, more], union: {} }
  sorted: { from: all, route: { big: "price > 1000" } }
sinks:
  out: { from: sorted.big, type: kafka, connection: main, topic: bids_out, key: auction }
  rest: { from: sorted.rest, type: console }
  rejected: { from: bids.errors, type: kafka, connection: main, topic: { expr: "'rejected'" }, format: raw }
)";

}  // namespace

TEST_CASE("a whole pipeline file is read into typed parts") {
  ReadPipeline p;
  p.read(kPipeline);
  CHECK(p.messages() == "");
  REQUIRE(p.file);
  CHECK(p.file->name.text == "bids-per-minute");
  CHECK(p.file->parallelism == 2);
  CHECK(p.file->memory == 1 << 30);
  CHECK(p.file->checkpoint.dir == "state");
  CHECK(p.file->checkpoint.interval == Duration::seconds(1));
  CHECK(p.file->checkpoint.retain == 3);
  CHECK(p.file->restart.attempts == 3);
  CHECK(p.file->restart.max_backoff == Duration::seconds(60));
  CHECK(p.file->max_drift == Duration::seconds(600));
  CHECK(p.file->settings.object("checkpoint").location("interval").to_string() == "p.yaml:4:37");
  CHECK(p.file->connections[0].config.text("brokers") == "localhost:9092");
}

TEST_CASE("components know their type, format, connection and inputs") {
  ReadPipeline p;
  p.read(kPipeline);
  const Component* bids = p.file->find("bids");
  REQUIRE(bids);
  CHECK(bids->ok());
  CHECK(bids->kind == ComponentKind::kSource);
  CHECK(bids->type == "kafka");
  CHECK(bids->connection == "main");
  CHECK(bids->format->type == "json");
  CHECK(bids->format->config.text("missing") == "fail");
  CHECK(bids->config.text("on_error") == "emit");
  CHECK(bids->config.object("event_time").expression("column").text == "at");
  CHECK_FALSE(bids->config.object("event_time").duration_unless_never("idle_after"));
  CHECK(bids->config.object("event_time").duration("watermark_step") == Duration::milliseconds(100));
  CHECK_FALSE(p.file->find("more")->format);
  const Component* all = p.file->find("all");
  CHECK(all->type == "union");
  REQUIRE(all->inputs.size() == 2);
  CHECK(all->inputs[1].component == "more");
  CHECK(all->inputs[1].location.to_string() == "p.yaml:20:23");
  const Component* rejected = p.file->find("rejected");
  CHECK(rejected->inputs[0].component == "bids");
  CHECK(rejected->inputs[0].output == "errors");
  CHECK(rejected->format->type == "raw");
  CHECK(rejected->config.choice("topic").form() == "expr");
  CHECK(p.file->find("out")->format->type == "json");
  CHECK(p.file->find("out")->config.choice("topic").text("name") == "bids_out");
}

TEST_CASE("an override counts as written, and its problems are shown as such") {
  ReadPipeline p;
  p.read(kPipeline, {"sources.bids.topic=other", "checkpoint.retain=0", "sources.bids.topik=x"});
  CHECK(p.file->find("bids")->config.ok() == false);
  CHECK(p.messages() ==
        "--set:1:19: error: 'retain' must be at least 1: '0'\n"
        "   1 | checkpoint.retain=0\n"
        "     |                   ^\n"
        "--set:1:14: error: unknown key 'topik'\n"
        "   1 | sources.bids.topik=x\n"
        "     |              ^\n"
        "  hint: did you mean topic?\n");
}

TEST_CASE("max_drift is a duration, or never") {
  ReadPipeline hour, never, wrong;
  hour.read(kPipeline, {"max_drift=1h"}), never.read(kPipeline, {"max_drift=never"}),
      wrong.read(kPipeline, {"max_drift=often"});
  CHECK(hour.file->max_drift == Duration::seconds(3600));
  CHECK(never.file->max_drift == std::nullopt);
  CHECK(never.messages() == "");
  CHECK(wrong.messages().starts_with("--set:1:11: error: "));
}

TEST_CASE("variables work in overrides") {
  ReadPipeline p;
  p.environment.variables["TOPIC"] = "from_environment";
  p.read(kPipeline, {"sources.bids.topic=${TOPIC}"});
  CHECK(p.messages() == "");
  CHECK(p.file->find("bids")->config.text("topic") == "from_environment");
}

TEST_CASE("a component of an unknown type does not cause more messages") {
  ReadPipeline p;
  p.read(
      "name: x\nsources:\n  a: { type: nothing, select: 1 }\nsteps:\n  b: { from: a.late, filter: x }\nsinks:\n  c: { from: "
      "b, type: console }\n");
  CHECK(p.messages() ==
        "p.yaml:3:14: error: unknown source type 'nothing'\n"
        "   3 |   a: { type: nothing, select: 1 }\n"
        "     |              ^\n"
        "  hint: one of kafka or generator\n");
}

TEST_CASE("a file that is no mapping is refused") {
  ReadPipeline p;
  p.read("just text\n");
  CHECK_FALSE(p.file);
  CHECK(p.messages().find("p.yaml:1:1: error: a pipeline file must be a mapping, not text\n") == 0);
}

TEST_CASE("no prefix of a file, and no file with a byte changed, brings the reader down") {
  const std::string text = kPipeline;
  for (std::size_t i = 0; i < text.size(); ++i) {
    ReadPipeline().read(text.substr(0, i));
    std::string changed = text;
    changed[i] = "{}[]:,'\"#&*!|>%@`\n\t-?\\"[i % 23];
    ReadPipeline p;
    p.read(changed);
    (void)p.messages();
  }
}
