#include "runtime/config/yaml.h"

#include <catch2/catch.hpp>

using namespace weir;

namespace {

struct Parsed {
  Diagnostics diagnostics;
  std::optional<Node> root;

  explicit Parsed(std::string text) {
    root = parse_yaml(std::make_shared<const SourceText>("p.yaml", std::move(text)), diagnostics);
  }
  const Node& operator[](const char* key) const {
    REQUIRE(root);
    const Node* node = root->find(key);
    REQUIRE(node);
    return *node;
  }
  std::string messages() const { return diagnostics.format(); }
};

/// Checks that each character of the value that is no white space is found at the place that the value's offset maps to, and
/// that its end maps to just behind the last of them.
void check_offsets(const Node& node) {
  const std::string_view raw = node.location.source()->text();
  INFO(node.text);
  std::size_t before = 0;
  for (std::size_t i = 0; i < node.text.size(); ++i) {
    const std::size_t at = node.location.at(i).offset();
    CHECK(at >= before);
    before = at;
    const bool is_escape = raw[at] == '\\';
    if (!is_escape && !std::isspace(static_cast<unsigned char>(node.text[i]))) CHECK(raw[at] == node.text[i]);
  }
  CHECK(node.location.at(node.text.size()).offset() >= before);
}

}  // namespace

TEST_CASE("scalars are text, never what YAML guesses") {
  const Parsed p("a: on\nb: yes\nc: 1e3\nd: 08:30\ne: null\nf: ~\ng:\nh: 0x1F\ni: 'x'\n");
  CHECK(p.messages() == "");
  CHECK(p["a"].text == "on");
  CHECK(p["c"].text == "1e3");
  CHECK(p["d"].text == "08:30");
  CHECK(p["e"].text == "null");
  CHECK(p["f"].text == "~");
  CHECK(p["g"].is_empty());
  CHECK(p["h"].text == "0x1F");
  CHECK(p["i"].style == ScalarStyle::kSingleQuoted);
}

TEST_CASE("a missing value before a key called null is missing") {
  const Parsed p("a:\nnull: 1\nb: { x, null: 2, y: null }\n");
  CHECK(p["a"].is_empty());
  CHECK(p["null"].text == "1");
  CHECK(p["b"].find("x")->is_empty());
  CHECK(p["b"].find("null")->text == "2");
  CHECK(p["b"].find("y")->text == "null");
}

TEST_CASE("mappings keep their order and know their keys' places") {
  const Parsed p("b: 1\na: { z: [x, y], y: {} }\n");
  REQUIRE(p.root);
  CHECK(p.root->entries[0].key.text == "b");
  CHECK(p["a"].flow);
  CHECK(p["a"].key.to_string() == "p.yaml:2:1");
  CHECK(p["a"].find("z")->items[1].text == "y");
  CHECK(p["a"].find("z")->items[1].location.to_string() == "p.yaml:2:13");
  CHECK(p["a"].find("y")->is_mapping());
}

TEST_CASE("every byte of a value is found in the file, whatever the style") {
  const Parsed p(
      "plain: price > 100\n"
      "two_lines: price >\n"
      "  100  and\n\n"
      "  true\n"
      "single: 'it''s  a'  # comment\n"
      "double: \"a\\tb \\\"c\\\" \\u00e4 \\\n"
      "   d\n"
      "   e\"\n"
      "literal: |\n"
      "  select a,\n"
      "    b\n"
      "\n"
      "  from t\n"
      "folded: >-\n"
      "  price > 100\n"
      "  and x\n"
      "\n"
      "  or y\n"
      "     indented\n"
      "indented: |2\n"
      "    two more\n"
      "wide: '\xC3\xA4\xE2\x82\xAC' \n"
      "flow: { a: x + y, b: \"c\" }\n");
  CHECK(p.messages() == "");
  REQUIRE(p.root);
  CHECK(p["single"].text == "it's  a");
  CHECK(p["double"].text == "a\tb \"c\" \xC3\xA4 d e");
  CHECK(p["literal"].text == "select a,\n  b\n\nfrom t\n");
  for (const Node::Entry& entry : p.root->entries)
    if (entry.value.is_scalar()) check_offsets(entry.value);
  check_offsets(*p["flow"].find("a"));
  const Node& literal = p["literal"];
  CHECK(literal.location.at(literal.text.find("b\n")).to_string() == "p.yaml:12:5");
  CHECK(literal.location.at(literal.text.size()).to_string() == "p.yaml:14:9");
  const Node& folded = p["folded"];
  CHECK(folded.location.at(folded.text.find("or y")).to_string() == "p.yaml:19:3");
  const Node& doubled = p["double"];
  CHECK(doubled.location.at(doubled.text.find("d e")).to_string() == "p.yaml:8:4");
}

TEST_CASE("a scalar's end is the byte after it") {
  const Parsed p("a: x y   # comment\nb: 'it''s' # more\n");
  const std::string_view raw = p.root->location.source()->text();
  CHECK(raw.substr(p["a"].end, 4) == "   #");
  CHECK(raw.substr(p["b"].end, 3) == " # ");
}

TEST_CASE("a byte order mark and lines that end as on Windows are fine") {
  const Parsed p("\xEF\xBB\xBFname: x\r\nb: |\r\n  one\r\n  two\r\n");
  CHECK(p.messages() == "");
  CHECK(p["name"].location.to_string() == "p.yaml:1:7");
  CHECK(p["b"].text.find("two") != std::string::npos);
  check_offsets(p["b"]);
}

TEST_CASE("a leading document marker is fine") {
  const Parsed p("---\nname: x\n...\n");
  CHECK(p.messages() == "");
  CHECK(p["name"].text == "x");
}

TEST_CASE("a file in UTF-16 is refused") {
  CHECK(Parsed(std::string("\xFF\xFEn\0a\0", 6)).messages().find("p.yaml:1:1: error: the file is UTF-16\n") == 0);
  CHECK(Parsed(std::string("n\0a\0", 4)).messages().find("p.yaml:1:1: error: the file is UTF-16\n") == 0);
}

TEST_CASE("a comma that cuts a value is named, and the rest of the file is read all the same") {
  const Parsed p("s: { total: coalesce(a, b), x: y }\nl: [f(a, (b), c), d]\n");
  CHECK(p.messages() ==
        "p.yaml:1:13: error: inside { } a comma ends the value: 'coalesce(a'\n"
        "   1 | s: { total: coalesce(a, b), x: y }\n"
        "     |             ^\n"
        "  hint: quote the expression: \"coalesce(a, b)\"\n"
        "p.yaml:2:5: error: inside [ ] a comma ends the value: 'f(a'\n"
        "   2 | l: [f(a, (b), c), d]\n"
        "     |     ^\n"
        "  hint: quote the expression: \"f(a, (b), c)\"\n");
  CHECK(p["s"].entries.size() == 2);
  CHECK(p["l"].items.size() == 2);
}

TEST_CASE("nesting, size and number of nodes are limited") {
  CHECK(
      Parsed(std::string(65, '[') + std::string(65, ']')).messages().find("error: nested too deeply: more than 64 levels") !=
      std::string::npos);
  CHECK(Parsed(std::string(kLargestFile + 1, 'a'))
            .messages()
            .find("error: the file is too large: 1048577 bytes, at most 1048576") != std::string::npos);
  std::string many = "[";
  for (std::size_t i = 0; i < kMostNodes + 1; ++i) many += "a,";
  CHECK(Parsed(many + "]").messages().find("error: the file holds more than 100000 keys and values") != std::string::npos);
}

TEST_CASE("aliases cannot make a small file large") {
  const Parsed p("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n");
  CHECK(p.diagnostics.errors() == 6);
}

TEST_CASE("a secret in a line that does not parse is not shown") {
  const Parsed p("user: app\npassword: hunter2: x\n");
  CHECK(p.diagnostics.has_errors());
  CHECK(p.messages().find("hunter2") == std::string::npos);
}
