#include <catch2/catch.hpp>

#include "tests/support/pipeline_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;

/// What validate says of sources, steps and sinks; a sink for `in` is there.
std::string problems(const std::string& yaml) {
  const PipelineFolder folder(yaml);
  const ProcessResult result = folder.weir({"validate", "pipeline.yaml"});
  CHECK(result.exit_code == 2);
  return result.errors;
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t n = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("one bad key of a component hides none of the others") {
  const std::string all = problems(R"yaml(
sources:
  in:
    type: stdin
    format: { type: csv, header: yes, delimiter: ";;" }
    schema: { a: intt, b: doubel, c: int }
    event_time: { column: c, max_ahead: always, idle_after: sometimes }
sinks: { out: { from: in, type: discard } }
)yaml");
  CHECK_THAT(all, Contains("'header' must be true or false") &&
                      Contains("the delimiter of csv is one ASCII character (one byte), not ';;'") &&
                      Contains("unknown type `intt`") && Contains("unknown type `doubel`") &&
                      Contains("'max_ahead' must be a duration or never") &&
                      Contains("'idle_after' must be a duration or never"));
  CHECK(count(all, "error:") == 6);
}

TEST_CASE("a bad key of a source does not hide what is wrong behind it") {
  const std::string all = problems(R"yaml(
sources: { in: { type: stdin, schema: { a: int, at: timestamp }, event_time: { column: a, max_ahead: always }, on_error: skipp } }
steps: { f: { from: in, filter: "m > 1" } }
sinks: { out: { from: in, type: discard, form: json } }
)yaml");
  CHECK_THAT(all, Contains("'max_ahead' must be") && Contains("'on_error' must be") && Contains("unknown key 'form'") &&
                      Contains("the event time must be timestamp, but a is int") && Contains("unknown column \"m\""));
}

TEST_CASE("what follows from a key that was meant for another is not said") {
  const std::string all = problems(R"yaml(
sources: { in: { type: stdin, schem: { a: int } } }
steps: { f: { from: in, filter: "a > 1" } }
sinks: { out: { from: f, type: discard } }
)yaml");
  CHECK_THAT(all, Contains("unknown key 'schem'"));
  CHECK(count(all, "error:") == 1);
}

TEST_CASE("an option without a default that is wrong hides nothing else of its component") {
  const std::string all = problems(R"yaml(
connections: { main: { type: kafka, brokers: "h:9092" } }
sources:
  made: { type: generator, rows: many, on_error: skip, select: { n: "nn + 1", k: n } }
  in: { type: kafka, connection: main, topic: t, group: [g], commit_offsets: true, schema: { k: bigint }, start: latestt }
steps:
  d: { from: in, dedup: { by: [kk], within: soon } }
  f: { from: in, filter: "kkk > 1" }
sinks:
  out: { from: in, type: kafka, connection: main, topic: t, key: [[1]], partition: "1x", headers: { a: "nocolumn" }, timestamp: "nobody" }
  up: { from: in, type: kafka, connection: main, topic: u, changelog: upsertt, key: { expr: "kk" } }
)yaml");
  CHECK_THAT(all, Contains("'rows' must be") && Contains("unknown column \"nn\"") && Contains("unknown column 'kk'") &&
                      Contains("'within' must be") && Contains("unknown column \"kkk\"") &&
                      Contains("unknown column \"nocolumn\"") && Contains("unknown column \"nobody\"") &&
                      Contains("'changelog' must be") && Contains("unknown column \"kk\""));
  CHECK_THAT(all, !Contains("needs a group") && !Contains("upsert needs"));
}

TEST_CASE("a wrong item of a list hides none of the others, and nothing of its component") {
  const std::string all = problems(R"yaml(
sources: { in: { type: stdin, schema: { k: int, n: int } } }
steps:
  g: { from: in, aggregate: { by: [k, [1], kk], select: { s: "sum(m)" } } }
  d: { from: in, dedup: { by: [[1], nn] } }
sinks: { out: { from: in, type: discard } }
)yaml");
  CHECK_THAT(all, Contains("unknown column 'kk'") && Contains("unknown column \"m\"") && Contains("unknown column 'nn'"));
  CHECK(count(all, "error:") == 5);
}

TEST_CASE("the grammar of an expression is checked whatever its input is") {
  const std::string all = problems(R"yaml(
sources: { in: { type: stdin, schema: { price: int } } }
steps:
  f: { from: nowhere, filter: "price >" }
  s: { from: in, select: { a: "price +", b: "nocolumn" } }
  g: { from: nowhere, aggregate: { by: { x: "price price" }, select: { n: "sum(price" } } }
sinks: { out: { from: in, type: discard } }
)yaml");
  CHECK_THAT(all, Contains("pipeline.yaml:6:39: error: the expression ends too early") &&
                      Contains("unexpected name `price`") && Contains("unknown column \"nocolumn\""));
  CHECK(count(all, "the expression ends too early") == 3);
  CHECK(count(all, "no source or step 'nowhere'") == 2);
}

TEST_CASE("a wrong condition or key of a step that keeps its columns hides nothing behind it") {
  const std::string all = problems(R"yaml(
sources: { in: { type: stdin, schema: { price: int, note: varchar } } }
steps:
  f: { from: in, filter: "prize > 1" }
  r: { from: f, route: { big: "price", small: "pricy < 1" } }
  d: { from: r.big, dedup: { by: [nota] } }
  u: { from: [d, r.rest], union: {} }
  s: { from: u, select: { a: "price + 1", b: nocolumn } }
sinks: { out: { from: s, type: discard }, more: { from: r.smal, type: discard } }
)yaml");
  CHECK_THAT(all, Contains("unknown column \"prize\"") && Contains("output 'big' must be boolean, not int") &&
                      Contains("unknown column \"pricy\"") && Contains("unknown column 'nota'") &&
                      Contains("unknown column \"nocolumn\"") && Contains("step r has no output 'smal'"));
  CHECK(count(all, "error:") == 6);
}

TEST_CASE("a wrong window hides nothing else of an aggregate") {
  const std::string window =
      GENERATE("{ tumblin: 1m }", "{ tumbling: 1x }", "{ hopping: 1m }", "1m", "{ hopping: 1m, every: 2m }");
  const std::string all = problems(R"yaml(
sources: { in: { type: generator, rows: 1, select: { n: n, at: "to_timestamp(n)" }, event_time: { column: at } } }
steps:
  g: { from: in, aggregate: { by: [nn], window: )yaml" +
                                   window + R"yaml(, select: { a: "sum(m)", b: "cuont(*)", c: "window_start" } } }
sinks: { out: { from: in, type: discard } }
)yaml");
  CHECK_THAT(all, Contains("unknown column 'nn'") && Contains("unknown column \"m\"") && Contains("did you mean count?"));
  CHECK(count(all, "error:") == 4);
}

TEST_CASE("a wrong group hides nothing else of an aggregate, and is said once") {
  const std::string all = problems(R"yaml(
sources: { in: { type: generator, rows: 1, select: { n: n } } }
steps:
  g: { from: in, aggregate: { by: [nn, { day: "date_trunk(n)" }], select: { a: "nn + 1", b: "day || 'x'", c: "nnn + 1", d: "sum(m)", e: "count(*" } } }
sinks: { out: { from: in, type: discard } }
)yaml");
  CHECK_THAT(all, Contains("unknown column 'nn'") && Contains("unknown function \"date_trunk\"") &&
                      Contains("unknown column \"nnn\"") && Contains("unknown column \"m\"") &&
                      Contains("the expression ends too early"));
  CHECK(count(all, "error:") == 5);
}

TEST_CASE("where the event time was left out is said, with the column that it is in there") {
  const std::string all = problems(R"yaml(
sources:
  in: { type: generator, rows: 10, select: { n: n }, event_time: { column: "timestamp '2024-01-01' + n * interval '1 s'" } }
  named: { type: generator, rows: 10, select: { n: n, t: "to_timestamp(n)" }, event_time: { column: t } }
  none: { type: generator, rows: 10, select: { n: n } }
steps:
  counted: { from: in, aggregate: { window: { tumbling: 50ms }, select: { c: "count(*)" } } }
  short: { from: counted, select: { c: c } }
  f: { from: short, filter: "c > 1" }
  again: { from: f, aggregate: { window: { tumbling: 1m }, select: { n: "sum(c)" } } }
  of_source: { from: in, select: { n: n, at: "1" } }
  w: { from: of_source, aggregate: { window: { tumbling: 1m }, select: { n: "sum(n)" } } }
  renamed: { from: named, select: { n: n, w: t } }
  gone: { from: renamed, select: { "*": { except: [w] } } }
  d: { from: gone, dedup: { by: [n], within: 1h } }
  replaced: { from: named, select: { "*": true, t: "t + interval '1 h'" } }
  e: { from: replaced, dedup: { by: [n], within: 1h } }
  g: { from: none, dedup: { by: [n], within: 1h } }
sinks: { out: { from: again, type: discard } }
)yaml");
  CHECK_THAT(all,
             Contains("the event time is in the column _event_time there: add  at: _event_time  to the select of 'short'") &&
                 Contains("in the column _event_time there: add  event_time: _event_time  to the select of 'of_source'") &&
                 Contains("in the column w there: add  w: w  to the select of 'gone'") &&
                 Contains("in the column t there: add  event_time: t  to the select of 'replaced'") &&
                 Contains("give the source an event_time, and keep its column"));
  CHECK(count(all, "error:") == 5);
}

TEST_CASE("a window stands behind a window when the event time is carried as the hint says") {
  const PipelineFolder folder(R"yaml(
sources:
  in: { type: generator, rows: 10, select: { n: n }, event_time: { column: "timestamp '2024-01-01' + n * interval '1 s'" } }
steps:
  counted: { from: in, aggregate: { window: { tumbling: 2s }, select: { c: "count(*)" } } }
  short: { from: counted, select: { c: c, at: _event_time } }
  again: { from: short, aggregate: { window: { tumbling: 1m }, select: { n: "sum(c)" } } }
sinks: { out: { from: again, type: console } }
)yaml");
  const ProcessResult result = folder.run();
  INFO(result.errors);
  CHECK_THAT(result.output, Contains("\"n\":10"));
}

TEST_CASE("an empty list of columns is refused for dedup and is one group for aggregate, whose `by` may be a mapping") {
  CHECK_THAT(problems(R"yaml(
sources: { in: { type: stdin, schema: { price: int } } }
steps: { d: { from: in, dedup: { by: [] } } }
sinks: { out: { from: d, type: discard } }
)yaml"),
             Contains("'by' names no column") && Contains("by: [id]"));
  const PipelineFolder folder(R"yaml(
sources: { in: { type: generator, rows: 4, select: { n: n } } }
steps:
  all: { from: in, aggregate: { by: [], select: { s: "sum(n)" } } }
  parity: { from: in, aggregate: { by: { odd: "n % 2" }, select: { s: "sum(n)" } } }
sinks:
  out: { from: all, type: file, path: all, changelog: append_op }
  odds: { from: parity, type: file, path: odds, changelog: append_op }
)yaml");
  const ProcessResult result = folder.run();
  INFO(result.errors);
  CHECK(result.exit_code == 0);
}

TEST_CASE("every file is validated, also behind one that cannot be read") {
  const PipelineFolder folder(R"yaml(
sources: { in: { type: generator, rows: 1, select: { n: n } } }
steps: { f: { from: in, filter: "null" } }
sinks: { out: { from: f, type: discard } }
)yaml");
  const ProcessResult result = folder.weir({"validate", "nowhere.yaml", ".", "pipeline.yaml", "nowhere2.yaml"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.errors, Contains("nowhere.yaml") && Contains(". is a folder") && Contains("nowhere2.yaml"));
  CHECK(result.output == "pipeline.yaml: valid\n");
}

TEST_CASE("a secret from a file is in no diagnostic, error or log line") {
  const PipelineFolder folder(R"yaml(
sources: { in: { type: stdin, schema: { price: int, "t": "${file:sec}" } } }
steps:
  a: { from: in, select: { b: "${file:sec}", c: "'${file:sec}'::int", d: "${file:sec} + price" } }
  "${HOME}x": { from: in, filter: "true" }
sinks: { out: { from: "${file:sec}", type: discard }, more: { from: in, type: file, path: "${file:sec}", format: "${file:sec}" } }
)yaml");
  folder.write("sec", "S3cret-Word\n");
  const ProcessResult invalid = folder.weir({"validate", "pipeline.yaml"});
  CHECK(invalid.exit_code == 2);
  CHECK_THAT(invalid.errors, Contains("${file:sec}") && Contains("***") && Contains("something is wrong with this secret"));
  for (const char* piece : {"S3cret", "s3cret", "Word", "\"word"}) CHECK_THAT(invalid.errors, !Contains(piece));
}

TEST_CASE("a secret that is written in the file itself is in no line that is shown, whatever its key is") {
  const std::string all = problems(R"yaml(
connections:
  a: { type: kafka, brokers: "h:1", security: { protocl: ssl, pasword: hunter2, keypassword: [hunter3, hunter4] } }
  b: { type: kafka, brokers: "h:1", password: hunter5, producer: { sasl.password: hunter6, ssl.key.pem: "hunter7", linger: 1 } }
  c: { type: kafka, brokers: "h:1", properties: { sasl.jaas.config: "x hunter8", sasl.oauthbearer.client.secret: hunter9, sasl.username: u, foo: 1 } }
sources: { in: { type: kafka, connection: b, topic: t }, more: { type: kafka, connection: c, topic: t } }
sinks: { out: { from: in, type: discard }, other: { from: more, type: kafka, connection: b, topic: t, properties: { ssl.keystore.passwd: hunter0, x: 1 } } }
)yaml");
  CHECK_THAT(all, Contains("unknown key 'pasword'") && Contains("unknown key 'protocl'") &&
                      Contains("unknown key 'password'") && !Contains("hunter"));
  const std::string properties = problems(R"yaml(
connections:
  c: { type: kafka, brokers: "h:1", properties: { sasl.jaas.config: "x hunter8", sasl.password: hunter6, sasl.username: u, foo: 1, client.id: weir } }
sources: { more: { type: kafka, connection: c, topic: t } }
sinks: { out: { from: more, type: discard } }
)yaml");
  CHECK_THAT(properties, Contains("'sasl.jaas.config' cannot be given here") &&
                             Contains("'sasl.password' cannot be given here") &&
                             Contains("write user in security of the connection") && Contains("'foo' is not a property") &&
                             !Contains("hunter") && Contains("client.id: weir"));
}

TEST_CASE("a secret is in no error of a job either") {
  const PipelineFolder folder(R"yaml(
sources: { in: { type: file, path: "/nowhere/${file:sec}", schema: { price: int } } }
sinks: { out: { from: in, type: discard } }
)yaml");
  folder.write("sec", "S3cret-Word\n");
  for (const char* format : {"text", "json"}) {
    const ProcessResult failed = folder.weir({"--log-format", format, "--log-level", "trace", "run", "pipeline.yaml"});
    CHECK(failed.exit_code != 0);
    CHECK_THAT(failed.errors, Contains("/nowhere/***") && !Contains("S3cret"));
  }
  PipelineFolder rows(R"yaml(
sources: { in: { type: generator, rows: 1, select: { n: "n::varchar" } } }
steps: { a: { from: in, select: { c: "(n || '${file:sec}')::int" } } }
sinks: { out: { from: a, type: console } }
)yaml");
  rows.write("sec", "S3cret-Word\n");
  const ProcessResult row = rows.run();
  CHECK(row.exit_code == 3);
  CHECK_THAT(row.errors, Contains("invalid input syntax for type int") && Contains("***") && !Contains("S3cret"));
  rows.rewrite(R"yaml(
sources: { in: { type: generator, rows: 1, select: { n: "n::varchar" } } }
steps: { a: { from: in, select: { c: "n || '${file:sec}'" } } }
sinks: { out: { from: a, type: console } }
)yaml");
  CHECK(rows.run({"--fresh"}).output == "{\"c\":\"0S3cret-Word\"}\n");
}

TEST_CASE("json columns are written in one line each") {
  const PipelineFolder folder(R"yaml(
sources: { in: { type: generator, rows: 2, select: { j: "E'{\"a\":\\n 1.50, \"b c\" : \"x y\"}'::json" } } }
sinks: { out: { from: in, type: console } }
)yaml");
  const ProcessResult result = folder.run();
  INFO(result.errors);
  CHECK(result.output == "{\"j\":{\"a\":1.50,\"b c\":\"x y\"}}\n{\"j\":{\"a\":1.50,\"b c\":\"x y\"}}\n");
}

TEST_CASE("eval takes an expression that begins with a minus") {
  const auto eval = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "eval");
    return run_weir(std::move(arguments)).output;
  };
  CHECK(eval({"-interval '1 day'"}) == "-1 days :: interval\n");
  CHECK(eval({"-(1.5)"}) == "-1.5 :: decimal(2,1)\n");
  CHECK(eval({"-1", "--json"}) == "{\"type\":\"int\",\"value\":-1}\n");
  CHECK(eval({"--json", "- 1"}) == "{\"type\":\"int\",\"value\":-1}\n");
  CHECK(run_weir({"eval", "-h"}).exit_code == 0);
  CHECK(run_weir({"eval", "--nonsense"}).exit_code == 2);
}

}  // namespace weir
