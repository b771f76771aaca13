#include <catch2/catch.hpp>

#include "runtime/graph/graph.h"
#include "tools/weir/wiring.h"

using namespace weir;

namespace {

class NoEnvironment final : public Environment {
 public:
  std::optional<std::string> variable(const std::string& name) const override {
    if (name == "APP_PASSWORD") return "hunter2";
    return std::nullopt;
  }
  std::string file(const std::string&) const override { return "hunter2\n"; }
};

/// All that is said about a pipeline whose connection has these keys; something is always wrong with it.
std::string messages(const std::string& connection, const std::vector<std::string>& overrides = {}) {
  const std::string text =
      "name: j\nconnections:\n  m: " + connection +
      "\nsources: { a: { type: kafka, connection: m, schema: { id: int } } }\nsinks: { o: { from: a, type: console } }\n";
  Components components;
  add_all_components(components);
  Diagnostics diagnostics;
  const auto read = read_pipeline(std::make_shared<const SourceText>("p.yaml", text), overrides, NoEnvironment(),
                                  components.catalogue(), diagnostics);
  if (read) build_graph(*read, components, diagnostics);
  return diagnostics.format();
}

bool shows_a_piece(const std::string& text) {
  return text.find("hunt") != std::string::npos || text.find("ter2") != std::string::npos;
}

}  // namespace

TEST_CASE("a password that --set replaces, or anything around it, is not shown") {
  const std::string wrong = "{ type: kafka, broker: x, security: { password: hunter2 } }";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {wrong, "connections.m.security.password=x"},
      {wrong, "connections.m.security={protocol: ssl}"},
      {wrong, "connections.m={type: kafka, broker: x}"},
      {"{ type: kafka, broker: x, security: { passwort: hunter2 } }", "connections.m.security.passwort=x"},
      {"{ type: kafka, broker: x, security: { password: [a, hunter2] } }", "connections.m.security.password=x"},
      {"{ type: kafka, broker: x, security: { password: { a: hunter2 } } }", "connections.m.security.password=x"},
      {"{ type: kafka, broker: x, properties: { sasl.password: hunter2 } }", "connections.m.properties.sasl.password=x"},
      {"{ type: kafka, security: { password: \"abc\n  hunter2\" }, broker: x }", "connections.m.security.password=x"},
      {"\n    type: kafka\n    security:\n      password: >\n        hunter2\n        hunter2\n    broker: x",
       "connections.m.security.password=x"},
      {"{ type: kafka }", "connections.m.security.password.z=hunter2"},
      {"{ type: kafka }", "connections.m.security.password:hunter2"},
      {"{ type: kafka }", "connection.m.security.password=hunter2"},
      {"{ type: kafka }", "connections.m.security.pasword=hunter2"},
      {"{ type: kafka }", "connections.m.security.password=\"hunter2"},
      {"{ type: kafka }", "connections.m={type: kafka, security: { password: hunter2 x: y}"},
  };
  for (const auto& [connection, assignment] : cases) {
    const std::string said = messages(connection, {assignment});
    INFO(connection << " --set " << assignment << "\n" << said);
    CHECK(!said.empty());
    CHECK_FALSE(shows_a_piece(said));
  }
}

TEST_CASE("no message shows a piece of a password, whether the file parses or not") {
  for (const std::string security : {
           "{ password: x, password: hunter2 }",
           "{ password: x }, security: { password: hunter2 }",
           "{ password: &p hunter2 }",
           "{ password: &hunter2 }",
           "{ password: *hunter2 }",
           "{ password: !hunter2 }",
           "{ password: hu,nter2 }",
           "{ password: hu(n,ter2) }",
           "{ password: hun}ter2, user: x }",
           "{ password: {hunter2} }",
           "{ password: [hunter2 }",
           "{ password: \"abc\" hunter2 }",
           "{ password: @hunter2 }",
           "{ password: `hunter2 }",
           "{ password: 'hunt'er2' }",
           "{ password: \"hunter2 }",
           "{ password:hunter2 }",
           "{ password hunter2 }",
           "{ password=hunter2 }",
           "{ user: \"x\" y, password: hunter2 }",
           "{ user: @x, keyPassword: hunter2, pwd: hunter2, client_secret: hunter2 }",
           "{ user: x } # the password: hunter2",
           "{ password: \"${NONE:-hunter2}\" }",
           "{ password: \"${hunter2\" }",
           "{ password: \"a${hun ter2}\" }",
           "{ protocol: \"${APP_PASSWORD}\" }",
           "{ protocol: \"${file:x}\" }",
       }) {
    const std::string said = messages("{ type: kafka, broker: \"h:1\", security: " + security + " }");
    INFO(security << "\n" << said);
    CHECK(!said.empty());
    CHECK_FALSE(shows_a_piece(said));
  }
}

TEST_CASE("a password in a block that does not parse is not shown") {
  for (const std::string security : {
           "password: 'hunt'er2",
           "password: \"hunter2\n      user: x",
           "password:\n        hunter2: x: y",
           "password:\n        @hunter2",
           "password:\n        - [hunter2",
           "password: |hunter2\n      user: x",
           "password: [abcd] #hunter2",
           "password:hunter2\n      user: x",
           "user: x\n      password hunter2",
           "user: x\n      password=hunter2",
           "\"password\" : hun: ter2",
           "user: x\n      password hunter2, foo: 1",
           "user: x\n      password:hunter2: 1",
           "user: x\n      password = hunter2 }, brokrs: x",
           "password: \"hunter2\\d\"",
           "{ password: x 'a,hunter2' }",
           "{ password: x 'a}hunter2' }",
           "{ password: 'hunter'2' }",
       }) {
    const std::string said = messages("\n    type: kafka\n    security:\n      " + security);
    INFO(security << "\n" << said);
    CHECK(!said.empty());
    CHECK_FALSE(shows_a_piece(said));
  }
}

TEST_CASE("a component or a column that is called like a secret is shown") {
  Components components;
  add_all_components(components);
  Diagnostics diagnostics;
  const std::string text =
      "name: j\nsources:\n  token_counts:\n    type: generator\n    rowz: 1\n    select: { token: \"n + nn\", secret: \"nn "
      "= n\" }\n"
      "sinks: { o: { from: token_counts, type: console } }\n";
  const auto read = read_pipeline(std::make_shared<const SourceText>("p.yaml", text), {}, NoEnvironment(),
                                  components.catalogue(), diagnostics);
  if (read) build_graph(*read, components, diagnostics);
  const std::string said = diagnostics.format();
  CHECK(said.find("rowz: 1") != std::string::npos);
  CHECK(said.find("*") == std::string::npos);
}
