#include "runtime/config/environment.h"

#include <catch2/catch.hpp>

#include "runtime/config/override.h"
#include "runtime/config/yaml.h"
#include "tests/runtime/config/sample_catalogue.h"

using namespace weir;

namespace {

struct Substituted {
  SampleEnvironment environment;
  Diagnostics diagnostics;
  Node root;

  explicit Substituted(std::string text) {
    environment.variables = {{"HOST", "h1"}, {"EMPTY", ""}, {"NESTED", "${HOST}"}, {"BROKEN", "\xFF"}};
    environment.files = {{"/run/secret", "  s3cret\n"}};
    root = *parse_yaml(std::make_shared<const SourceText>("p.yaml", std::move(text)), diagnostics);
    substitute(root, environment, diagnostics);
  }
  const Node& operator[](const char* key) const { return *root.find(key); }
  std::string messages() const { return diagnostics.format(); }
};

}  // namespace

TEST_CASE("variables are substituted inside scalars of any style") {
  const Substituted s(
      "a: ${HOST}:9092\nb: \"x-${HOST}-${HOST}\"\nc: '${NONE:-d}'\nd: ${EMPTY:-e}\ne: ${EMPTY}\nf: $${HOST}\ng: "
      "${NESTED}\nh: cost $5\n");
  CHECK(s.messages() == "");
  CHECK(s["a"].text == "h1:9092");
  CHECK(s["b"].text == "x-h1-h1");
  CHECK(s["c"].text == "d");
  CHECK(s["d"].text == "e");
  CHECK(s["e"].text == "");
  CHECK(s["f"].text == "${HOST}");
  CHECK(s["g"].text == "${HOST}");
  CHECK(s["h"].text == "cost $5");
  CHECK(s["a"].written == "${HOST}:9092");
}

TEST_CASE("variables are substituted in keys, and two keys that become one are an error") {
  const Substituted s("${HOST}: 1\nh1: 2\n");
  CHECK(s["h1"].text == "1");
  CHECK(s.messages().find("p.yaml:2:1: error: duplicate key 'h1'\n") == 0);
}

TEST_CASE("offsets of a substituted value point into the file") {
  const Substituted s("f: \"a + ${HOST} + bb $${x}\"\n");
  const Node& node = s["f"];
  CHECK(node.text == "a + h1 + bb ${x}");
  CHECK(node.location.at(0).to_string() == "p.yaml:1:5");
  CHECK(node.location.at(4).to_string() == "p.yaml:1:9");  // all of the variable
  CHECK(node.location.at(5).to_string() == "p.yaml:1:9");
  CHECK(node.location.at(9).to_string() == "p.yaml:1:19");   // bb
  CHECK(node.location.at(12).to_string() == "p.yaml:1:23");  // ${x}
  CHECK(node.location.at(node.text.size()).to_string() == "p.yaml:1:27");
}

TEST_CASE("a file is a secret without white space at its ends, and is never shown") {
  const Substituted s("password: ${file:/run/secret}\n");
  CHECK(s["password"].text == "s3cret");
  CHECK(s["password"].secret);
  CHECK(s["password"].shown() == "'${file:/run/secret}'");
}

TEST_CASE("what cannot be substituted is reported at its place") {
  const Substituted s(
      "a: x${NONE}\nb: ${NONE:?set it to the host}\nc: ${EMPTY:?}\nd: ${file:/none}\ne: ${1x}\nf: ${HOST\ng: "
      "${BROKEN}\n\"${file:/run/secret}\": 1\n");
  CHECK(s.messages() ==
        "p.yaml:1:5: error: the variable NONE is not set\n"
        "   1 | a: x${NONE}\n"
        "     |     ^\n"
        "  hint: set it, or give a default: ${NONE:-...}\n"
        "p.yaml:2:4: error: the variable NONE is not set: set it to the host\n"
        "   2 | b: ${NONE:?set it to the host}\n"
        "     |    ^\n"
        "p.yaml:3:4: error: the variable EMPTY is not set: it must be set\n"
        "   3 | c: ${EMPTY:?}\n"
        "     |    ^\n"
        "p.yaml:4:4: error: the file cannot be read: No such file or directory: '/none'\n"
        "   4 | d: ${file:/none}\n"
        "     |    ^\n"
        "p.yaml:5:4: error: this is no reference to a variable: '${1x}'\n"
        "   5 | e: ${1x}\n"
        "     |    ^\n"
        "  hint: write ${NAME}, ${NAME:-default}, ${NAME:?message} or ${file:PATH}; $${ for a literal ${\n"
        "p.yaml:6:4: error: this ${ is never closed\n"
        "   6 | f: ${HOST\n"
        "     |    ^\n"
        "  hint: write $${ for a literal ${\n"
        "p.yaml:7:4: error: the variable BROKEN does not hold UTF-8\n"
        "   7 | g: ${BROKEN}\n"
        "     |    ^\n"
        "p.yaml:8:2: error: a secret may not be part of a key\n"
        "   8 | \"${file:/run/secret}\": 1\n"
        "     |  ^\n");
}

TEST_CASE("an override replaces, adds and reaches into lists and keys with dots") {
  Diagnostics diagnostics;
  Node root = *parse_yaml(std::make_shared<const SourceText>("p.yaml", "a: { b: 1, linger.ms: 2 }\nl: [x, { y: 1 }]\n"),
                          diagnostics);
  for (const char* set : {"a.b=7", "a.linger.ms=20", "a.new.deep=z", "l.1.y=q", "t=[p, q]", "s='it'", "empty="})
    apply_override(root, set, diagnostics);
  CHECK(diagnostics.format() == "");
  CHECK(root.find("a")->find("b")->text == "7");
  CHECK(root.find("a")->find("linger.ms")->text == "20");
  CHECK(root.find("a")->find("new")->find("deep")->text == "z");
  CHECK(root.find("l")->items[1].find("y")->text == "q");
  CHECK(root.find("t")->items[1].text == "q");
  CHECK(root.find("s")->text == "it");
  CHECK(root.find("empty")->is_empty());
}

TEST_CASE("an override that leads nowhere is an error that shows it") {
  Diagnostics diagnostics;
  Node root = *parse_yaml(std::make_shared<const SourceText>("p.yaml", "a: { b: 1 }\nl: [x]\n"), diagnostics);
  for (const char* set : {"a.b.c=1", "l.5=1", "nothing", "a..b=1"}) apply_override(root, set, diagnostics);
  CHECK(diagnostics.format() ==
        "--set:1:5: error: the path leads into a text: 'a.b'\n"
        "   1 | a.b.c=1\n"
        "     |     ^\n"
        "--set:1:3: error: the list has 1 items, numbered from 0: '5'\n"
        "   1 | l.5=1\n"
        "     |   ^\n"
        "--set:1:1: error: this is not PATH=VALUE\n"
        "   1 | nothing\n"
        "     | ^\n"
        "  hint: for example --set sources.bids.topic=bids_test\n"
        "--set:1:3: error: a key is missing in the path\n"
        "   1 | a..b=1\n"
        "     |   ^\n");
}

TEST_CASE("a secret is masked in texts and hints, and what is wrong within it is not said") {
  Substituted s("a: \"x + ${file:/run/secret}\"\n");
  const Node& node = s["a"];
  REQUIRE(node.text == "x + s3cret");
  s.diagnostics.error(node.location, "unknown column \"s3cret\"", "write \"S3CRET\"");
  s.diagnostics.error(node.location.at(4), "unknown column \"s3\"", "did you mean s3x?");
  s.diagnostics.error(node.location.at(0), "unknown column \"x\"");
  CHECK(s.messages().find("s3") == std::string::npos);
  CHECK(s.messages().find("S3") == std::string::npos);
  CHECK(s.messages().find("unknown column \"***\"") != std::string::npos);
  CHECK(s.messages().find("something is wrong with this secret") != std::string::npos);
  CHECK(s.messages().find("unknown column \"x\"") != std::string::npos);
}
