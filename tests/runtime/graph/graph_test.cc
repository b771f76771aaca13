#include "runtime/graph/graph.h"

#include <catch2/catch.hpp>

#include "tests/runtime/graph/played_components.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using Words = std::vector<std::string>;

const std::string kSource = "name: p\nsources: { in: { type: numbers } }\n";

/// What reads a port: `step@input`.
Words readers(const PlayedGraph& g, const std::string& name, int port = 0) {
  Words all;
  for (const Graph::Reader& r : g.graph->readers(g.at(name), port))
    all.push_back(fmt::format("{}@{}", g.graph->vertices[static_cast<std::size_t>(r.vertex)].name, r.input));
  return all;
}

}  // namespace

TEST_CASE("components are bound once each, after all that they read, wherever they stand in the file") {
  const PlayedGraph g(R"(name: p
sinks: { z: { from: c, type: out } }
steps:
  c: { from: [b, in, other], union: true }
  b: { from: a, pass: true }
  a: { from: in, keyed: true }
sources: { in: { type: numbers }, other: { type: numbers } }
)");
  REQUIRE(g.problems() == "");
  CHECK(g.bound == Words{"in", "other", "a <in", "b <a", "c <b <in <other", "z <c"});
  CHECK(readers(g, "in") == Words{"a@0", "c@1"});
  CHECK(readers(g, "other") == Words{"c@2"});
  CHECK(g.vertex("c").inputs.at(0).vertex == g.at("b"));
  CHECK(g.vertex("c").step->exchange(2).kind == Exchange::Kind::kForward);
  CHECK(g.vertex("a").step->exchange(0).kind == Exchange::Kind::kHash);
  CHECK(g.vertex("z").kind == ComponentKind::kSink);
  CHECK(readers(g, "z") == Words{});
}

TEST_CASE("a component may be read twice by one step, and named outputs each by others") {
  const PlayedGraph g(kSource + R"(steps:
  f: { from: in, fork: { small: "n < 5", big: "n > 5" } }
  both: { from: [f.big, f.small, f.big], union: true }
sinks: { out: { from: both, type: out }, too: { from: f.small, type: out } }
)");
  REQUIRE(g.problems() == "");
  CHECK(readers(g, "f", 0) == Words{"both@1", "too@0"});
  CHECK(readers(g, "f", 1) == Words{"both@0", "both@2"});
}

TEST_CASE("errors streams are ports behind the others, of sources, steps and sinks") {
  const PlayedGraph g(R"(name: p
sources: { in: { type: numbers, on_error: emit } }
steps:
  s: { from: in, pass: true, on_error: emit }
  all_bad: { from: [in.errors, s.errors, out.errors], union: true }
sinks:
  out: { from: s, type: out, on_error: emit }
  bad: { from: all_bad, type: out }
)");
  REQUIRE(g.problems() == "");
  CHECK(readers(g, "in", 1) == Words{"all_bad@0"});
  CHECK(readers(g, "s", 1) == Words{"all_bad@1"});
  CHECK(readers(g, "out", 0) == Words{"all_bad@2"});
  CHECK(g.vertex("s").outputs.at(1).schema == error_schema());
}

TEST_CASE("an errors stream that nothing reads is an error of the one that emits it") {
  const PlayedGraph g(kSource + R"(steps: { s: { from: in, pass: true, on_error: emit } }
sinks: { out: { from: s, type: out } }
)");
  CHECK_FALSE(g.graph);
  CHECK_THAT(g.problems(), Contains("p.yaml:3:") && Contains("nothing reads s.errors") && Contains("from: s.errors"));
}

TEST_CASE("what is computed and thrown away is a warning, of steps and of sources, and no error") {
  const PlayedGraph g(R"(name: p
sources: { in: { type: numbers }, lonely: { type: numbers } }
steps: { s: { from: in, pass: true } }
sinks: { out: { from: in, type: out } }
)");
  CHECK(g.graph);
  CHECK_THAT(g.problems(), Contains("nothing reads 's'") && Contains("nothing reads 'lonely'"));
}

TEST_CASE("outputs that are not there are refused where they are read, with a word on what to do") {
  const auto problems = [](const std::string& from) {
    const PlayedGraph g(
        kSource + "steps:\n  f: { from: in, fork: { small: \"n < 5\", big: \"n > 5\" } }\n  s: { from: in, pass: true }\n" +
        "  w: { from: s, windows: { size: 1s } }\n  all: { from: [f.small, f.big, w, " + from + "], union: true }\n" +
        "sinks: { out: { from: all, type: out } }\n");
    CHECK_FALSE(g.graph);
    CHECK_THAT(g.problems(), Contains("p.yaml:7:36: "));
    return g.problems();
  };
  CHECK_THAT(problems("f.bigg"), Contains("has no output 'bigg'") && Contains("did you mean big?"));
  CHECK_THAT(problems("f"), Contains("named outputs") && Contains("f.small, f.big"));
  CHECK_THAT(problems("s.errors"), Contains("s.errors") && Contains("on_error: emit"));
  CHECK_THAT(problems("s.late"), Contains("has no output 'late'"));
  CHECK_THAT(problems("w.late"), Contains("'w' has no output 'late'"));  // it might have one: only binding it tells
  CHECK_THAT(problems("nowhere"), Contains("'nowhere'"));
}

TEST_CASE("circles are refused, over any number of steps") {
  for (const std::string steps : {"a: { from: a, pass: true }",
                                  "a: { from: b, pass: true }\n  b: { from: c, pass: true }\n  c: { from: a, pass: true }",
                                  "a: { from: [in, b], union: true }\n  b: { from: a, pass: true }"}) {
    const PlayedGraph g(kSource + "steps:\n  " + steps +
                        "\nsinks: { out: { from: a, type: out }, too: { from: in, type: out } }\n");
    CAPTURE(steps);
    CHECK_FALSE(g.graph);
    CHECK_FALSE(g.problems().empty());
  }
}

TEST_CASE("what reads something that cannot be bound is not bound, everything else is") {
  const PlayedGraph g(kSource + R"(steps:
  bad: { from: in, fails: true }
  behind: { from: bad, pass: true }
  good: { from: in, pass: true }
sinks: { out: { from: behind, type: out }, too: { from: good, type: out } }
)");
  CHECK(std::find(g.bound.begin(), g.bound.end(), "too <good") != g.bound.end());
  CHECK(std::none_of(g.bound.begin(), g.bound.end(),
                     [](const std::string& b) { return b.starts_with("behind") || b.starts_with("out"); }));
}

TEST_CASE("a pipeline without a sink is refused") {
  const PlayedGraph g(kSource + "steps: { s: { from: in, pass: true } }\n");
  CHECK_FALSE(g.graph);
  CHECK_THAT(g.problems(), Contains("sink"));
}

TEST_CASE("exactly once is refused by the word where a source cannot be read again, and only there") {
  const auto problems = [](const std::string& source, const std::string& sink) {
    return PlayedGraph("name: p\nsources: { in: { type: numbers" + source + " } }\nsinks: { out: { from: in, type: out" +
                       sink + " } }\n")
        .problems();
  };
  CHECK_THAT(problems(", once: true", ", guarantee: exactly_once"),
             Contains("nothing is exactly once in a job that reads 'in'"));
  CHECK(problems(", once: true", "") == "");
  CHECK(problems(", once: true", ", guarantee: none") == "");
  CHECK(problems("", ", guarantee: exactly_once") == "");
}

TEST_CASE("watermarks move in steps that divide the windows behind the source, over any way, and no others") {
  const PlayedGraph g(R"y(name: p
sources:
  in: { type: numbers, event_time: { column: "to_timestamp(n)", watermark_step: 12s } }
  other: { type: numbers, event_time: { column: "to_timestamp(n)", watermark_step: 12s } }
  plain: { type: numbers }
  each: { type: numbers, event_time: { column: "to_timestamp(n)", watermark_step: 0s } }
steps:
  near: { from: in, windows: { size: 18s } }
  both: { from: [near, other, plain], union: true }
  far: { from: both, windows: { size: 9s } }
  last: { from: each, windows: { size: 5s } }
sinks: { out: { from: far, type: out }, too: { from: last, type: out } }
)y");
  REQUIRE(g.problems() == "");
  CHECK(g.vertex("in").event_time->step == Duration::seconds(3));     // 12, 18, 9
  CHECK(g.vertex("other").event_time->step == Duration::seconds(3));  // 12, 9
  CHECK_FALSE(g.vertex("plain").event_time);
  CHECK(g.vertex("each").event_time->step == Duration{0});  // every row
  CHECK(g.vertex("in").event_time->watermark_step == Duration::seconds(12));
}

TEST_CASE("an event time of its own is one column more for what reads the source; a column that is there is marked") {
  const PlayedGraph g(R"y(name: p
sources: { in: { type: numbers, event_time: { column: "to_timestamp(n)" } } }
sinks: { out: { from: in, type: out } }
)y");
  REQUIRE(g.problems() == "");
  const Schema& rows = *g.vertex("in").ports().at(0).schema;
  CHECK(rows.size() == PlayedSource::rows_schema()->size() + 1);
  CHECK(rows.event_time() == 2);
  CHECK_FALSE(PlayedSource::rows_schema()->event_time());  // the source's own stays as it is
  CHECK_THAT(PlayedGraph("name: p\nsources: { in: { type: numbers, event_time: { column: n } } }\nsinks: { out: { from: in, "
                         "type: out } }\n")
                 .problems(),
             Contains("the event time must be timestamp, but n is bigint"));
}

}  // namespace weir
