#include <catch2/catch.hpp>

#include "runtime/base/error.h"
#include "runtime/config/config.h"
#include "runtime/config/yaml.h"

using namespace weir;

namespace {

struct Read {
  Diagnostics diagnostics;
  Config config;

  Read(const std::vector<ConfigField>& fields, std::string text) {
    const auto node = parse_yaml(std::make_shared<const SourceText>("p.yaml", std::move(text)), diagnostics);
    REQUIRE(node);
    config = read(fields, *node, "thing", diagnostics);
  }
  std::string messages() const { return diagnostics.format(); }
  /// Only the first line of the only message.
  std::string message() const {
    CHECK(diagnostics.errors() == 1);
    const std::string all = messages();
    return all.substr(0, all.find('\n'));
  }
};

const std::vector<ConfigField> kScalars = {field::text("text"),
                                           field::boolean("flag").defaults_to("true"),
                                           field::integer("count").at_least(1).at_most(9).defaults_to("3"),
                                           field::number("ratio").at_least(0),
                                           field::duration("pause").at_least("1s").defaults_to("5m"),
                                           field::duration("limit").or_never().defaults_to("never"),
                                           field::size("room").at_least("1KiB"),
                                           field::time("from_time"),
                                           field::enumeration("policy", {"fail", "skip", "emit"}).defaults_to("fail")};

}  // namespace

TEST_CASE("scalars are typed by their fields") {
  const Read r(
      kScalars,
      "text: on\nflag: false\ncount: 4\nratio: 0.5\npause: 2s\nlimit: 1h\nroom: 64KiB\nfrom_time: 1000\npolicy: skip\n");
  CHECK(r.messages() == "");
  CHECK(r.config.ok());
  CHECK(r.config.text("text") == "on");
  CHECK_FALSE(r.config.boolean("flag"));
  CHECK(r.config.integer("count") == 4);
  CHECK(r.config.number("ratio") == 0.5);
  CHECK(r.config.duration("pause") == Duration::seconds(2));
  CHECK(r.config.duration_unless_never("limit") == Duration::seconds(3600));
  CHECK(r.config.size("room") == 65536);
  CHECK(r.config.time("from_time") == Timestamp{1'000'000});
  CHECK(r.config.text("policy") == "skip");
  CHECK(r.config.location("count").to_string() == "p.yaml:3:8");
}

TEST_CASE("a field that is not written has its default, or is not there") {
  const Read r(kScalars, "text: x\n");
  CHECK(r.config.boolean("flag"));
  CHECK(r.config.duration("pause") == Duration::seconds(300));
  CHECK_FALSE(r.config.duration_unless_never("limit"));
  CHECK(r.config.has("pause"));
  CHECK_FALSE(r.config.given("pause"));
  CHECK(r.config.given("text"));
  CHECK_FALSE(r.config.has("ratio"));
  CHECK_THROWS_AS(r.config.number("ratio"), Error);
  CHECK_THROWS_AS(r.config.integer("text"), Error);
}

TEST_CASE("a value of the wrong type says what is expected") {
  CHECK(Read(kScalars, "flag: yes").message() == "p.yaml:1:7: error: 'flag' must be true or false: 'yes'");
  CHECK(Read(kScalars, "count: many").message() == "p.yaml:1:8: error: 'count' must be a whole number: 'many'");
  CHECK(Read(kScalars, "count: 0").message() == "p.yaml:1:8: error: 'count' must be at least 1: '0'");
  CHECK(Read(kScalars, "count: 10").message() == "p.yaml:1:8: error: 'count' must be at most 9: '10'");
  CHECK(Read(kScalars, "ratio: -1").message() == "p.yaml:1:8: error: 'ratio' must be at least 0: '-1'");
  CHECK(Read(kScalars, "pause: 10ms").message() == "p.yaml:1:8: error: 'pause' must be at least 1s: '10ms'");
  CHECK(Read(kScalars, "limit: always").message() == "p.yaml:1:8: error: 'limit' must be a duration or never: 'always'");
  CHECK(Read(kScalars, "room: 1B").message() == "p.yaml:1:7: error: 'room' must be at least 1KiB: '1B'");
  CHECK(Read(kScalars, "from_time: noon").message() == "p.yaml:1:12: error: 'from_time' must be a time: 'noon'");
  CHECK(Read(kScalars, "policy: ignore").message() == "p.yaml:1:9: error: 'policy' must be fail, skip or emit: 'ignore'");
  CHECK(Read(kScalars, "text: [a]").message() == "p.yaml:1:7: error: 'text' must be text, not a list");
  CHECK(Read(kScalars, "text:").message() == "p.yaml:1:1: error: 'text' has no value");
}

TEST_CASE("an unknown key names the nearest one, or all") {
  CHECK(Read(kScalars, "polcy: fail").messages() ==
        "p.yaml:1:1: error: unknown key 'polcy'\n"
        "   1 | polcy: fail\n"
        "     | ^\n"
        "  hint: did you mean policy?\n");
  CHECK(Read({field::text("a"), field::text("b")}, "something: x").messages().find("  hint: known here: a, b\n") !=
        std::string::npos);
}

TEST_CASE("missing and unsupported keys are errors") {
  const std::vector<ConfigField> fields = {field::text("topic").required().example("bids"),
                                           field::text("later").not_supported_yet()};
  const Read r(fields, "later: x\n");
  CHECK_FALSE(r.config.ok());
  CHECK(r.messages() ==
        "p.yaml:1:1: error: 'later' is not supported yet\n"
        "   1 | later: x\n"
        "     | ^\n"
        "p.yaml:1:1: error: thing needs 'topic'\n"
        "   1 | later: x\n"
        "     | ^\n"
        "  hint: for example topic: bids\n");
}

TEST_CASE("lists, mappings and objects are read in the order of the file") {
  const std::vector<ConfigField> fields = {
      field::columns("by"),
      field::list_of("sizes", field::integer("size")),
      field::texts("properties"),
      field::schema("schema"),
      field::object("roll", {field::size("size").defaults_to("128MiB"), field::duration("interval").defaults_to("1h")}),
      field::object("window", {field::duration("tumbling").required()})};
  const Read r(
      fields,
      "by: id\nsizes: [3, 1]\nproperties: { linger.ms: 20, acks: all }\nschema: { id: bigint not null, at: timestamp }\n");
  CHECK(r.messages() == "");
  REQUIRE(r.config.texts("by").size() == 1);
  CHECK(r.config.texts("by")[0].text == "id");
  CHECK(r.config.items("sizes")[1].integer("size") == 1);
  CHECK(r.config.entries("properties")[0].name == "linger.ms");
  CHECK(r.config.entries("properties")[1].text == "all");
  CHECK(r.config.entries("schema")[0].text == "bigint not null");
  CHECK(r.config.entries("schema")[1].name_location.to_string() == "p.yaml:4:32");
  CHECK(r.config.object("roll").size("size") == 128 << 20);
  CHECK_FALSE(r.config.given("roll"));
  CHECK_FALSE(r.config.has("window"));
}

TEST_CASE("a choice is found by what was written") {
  const std::vector<ConfigField> fields = {
      field::one_of("start",
                    {field::word("earliest"), field::word("latest"), field::form({field::time("timestamp")}),
                     field::form({field::map_of(
                         "offsets", field::one_of("position", {field::integer("offset"),
                                                               field::map_of("partitions", field::integer("offset"))}))})})
          .defaults_to("earliest"),
      field::one_of("key", {field::columns("columns"), field::form({field::expression("expr")})})};
  CHECK(Read(fields, "{}").config.choice("start").form() == "earliest");
  CHECK(Read(fields, "start: latest").config.choice("start").form() == "latest");
  const Read by_time(fields, "start: { timestamp: 5 }");
  CHECK(by_time.config.choice("start").form() == "timestamp");
  CHECK(by_time.config.choice("start").time("timestamp") == Timestamp{5000});
  const Read by_offset(fields, "start: { offsets: { 0: 12, t: { 1: 7 } } }");
  const auto& offsets = by_offset.config.choice("start").pairs("offsets");
  REQUIRE(offsets.size() == 2);
  CHECK(offsets[0].name == "0");
  CHECK(offsets[0].value.form() == "offset");
  CHECK(offsets[0].value.integer("offset") == 12);
  CHECK(offsets[1].value.form() == "partitions");
  CHECK(offsets[1].value.pairs("partitions")[0].value.integer("offset") == 7);
  CHECK(Read(fields, "key: [a, b]").config.choice("key").texts("columns").size() == 2);
  CHECK(Read(fields, "key: a").config.choice("key").texts("columns").size() == 1);
  CHECK(Read(fields, "key: { expr: a || b }").config.choice("key").expression("expr").text == "a || b");
  CHECK(Read(fields, "start: newest").message() ==
        "p.yaml:1:8: error: 'start' must be earliest, latest, {timestamp: ...} or {offsets: ...}: 'newest'");
  CHECK(Read(fields, "start: [latest]").message() ==
        "p.yaml:1:8: error: 'start' must be earliest, latest, {timestamp: ...} or {offsets: ...}: a list");
}

TEST_CASE("a selection knows the star and what it leaves out") {
  const std::vector<ConfigField> fields = {field::selection("select")};
  const Read r(fields, "select:\n  \"*\": { except: [note] }\n  total: price * quantity\n");
  CHECK(r.messages() == "");
  const auto& items = r.config.selection("select");
  REQUIRE(items.size() == 2);
  CHECK(items[0].star);
  CHECK(items[0].except[0].text == "note");
  CHECK(items[1].name == "total");
  CHECK(items[1].expression.text == "price * quantity");
  CHECK(items[1].expression.location.at(8).to_string() == "p.yaml:3:18");
}

TEST_CASE("YAML's traps for expressions are named") {
  const std::vector<ConfigField> fields = {field::expression("e"), field::expression("c").or_column()};
  CHECK(Read(fields, "e: doc #>> '{a}'  # note").messages() ==
        "p.yaml:1:8: error: a comment begins here and cuts the expression off: YAML takes # after a blank for one\n"
        "   1 | e: doc #>> '{a}'  # note\n"
        "     |        ^\n"
        "  hint: quote the expression: \"doc #>> '{a}'  # note\"\n");
  CHECK(Read(fields, "e: price > 1 # a comment").messages() == "");
  CHECK(Read(fields, "e: note = 'a #b'").message() ==
        "p.yaml:1:14: error: a comment begins here and cuts the expression off: YAML takes # after a blank for one");
  for (const char* word : {"e: 'true'", "e: 'null'", "e: 'price'"}) CHECK(Read(fields, word).messages() == "");
  CHECK(Read(fields, "e: '2024-01-01'").message() ==
        "p.yaml:1:4: error: YAML takes the quotes of '2024-01-01' away: what is left is no text to SQL");
  CHECK(Read(fields, "e: 'price > 1'").messages() == "");
  CHECK(Read(fields, "c: 'at'").messages() == "");
  CHECK(Read(fields, "e: ''").message() == "p.yaml:1:4: error: an expression is missing here");
}

TEST_CASE("an expression that YAML unquoted has a hint for whoever cannot bind it") {
  const std::vector<ConfigField> fields = {field::expression("e")};
  CHECK(quoting_hint(Read(fields, "e: \"EUR\"").config.expression("e")) == "write \"'EUR'\" for the text EUR");
  CHECK(quoting_hint(Read(fields, "e: 'EUR'").config.expression("e")) ==
        "YAML takes the quotes away: write \"'EUR'\" for the text EUR");
  CHECK(quoting_hint(Read(fields, "e: EUR").config.expression("e")).empty());
  CHECK(quoting_hint(Read(fields, "e: \"a + b\"").config.expression("e")).empty());
}

TEST_CASE("a secret is masked and never printed") {
  const std::vector<ConfigField> fields = {field::text("password").secret(), field::integer("pin").secret(),
                                           field::texts("properties").with_secrets({"sasl.password"})};
  const Read r(fields, "{ pin: hunter2, properties: { sasl.password: [swordfish] } }");
  CHECK(r.messages().find("hunter2") == std::string::npos);
  CHECK(r.messages().find("swordfish") == std::string::npos);
  CHECK(r.messages().find("'pin' must be a whole number: (secret)") != std::string::npos);
}

TEST_CASE("a bound that does not read is a bug of the declaration") {
  CHECK_THROWS_AS(field::duration("x").at_least("soon"), Error);
}

TEST_CASE(
    "a wrong value is its default where it has one, else left out where it may be, so that the rest can be looked at") {
  const Read r(kScalars, "flag: yes\npause: soon\npolcy: skip\ntext: x\n");
  CHECK(r.diagnostics.errors() == 3);
  CHECK_FALSE(r.config.ok());
  CHECK(r.config.boolean("flag"));
  CHECK(r.config.duration("pause") == Duration::seconds(300));
  CHECK_FALSE(r.config.usable());  // polcy was surely meant for policy
  CHECK(Read(kScalars, "flag: yes\n").config.usable());
  CHECK(Read(kScalars, "nothing_like_it: yes\n").config.usable());
  const Read wrong(kScalars, "ratio: much\n");  // may be left out, and is
  CHECK_FALSE(wrong.config.ok());
  CHECK(wrong.config.usable());
  CHECK_FALSE(wrong.config.has("ratio"));
  CHECK_FALSE(Read({field::integer("n").decides_columns()}, "n: x\n").config.usable());
  CHECK_FALSE(Read({field::text("topic").required()}, "{}").config.usable());
  const Read nested({field::object("inner", {field::boolean("flag").defaults_to("true")})}, "inner: { flag: yes }\n");
  CHECK_FALSE(nested.config.ok());
  CHECK(nested.config.usable());
  CHECK(nested.config.object("inner").boolean("flag"));
}

TEST_CASE("a list that may be one takes a mapping alone where its elements may be mappings") {
  const std::vector<ConfigField> fields = {
      field::list_of("by", field::one_of("by", {field::column("column"), field::expressions("named")})).or_one()};
  const Read r(fields, "by: { day: \"a + 1\" }\n");
  CHECK(r.messages() == "");
  REQUIRE(r.config.items("by").size() == 1);
  CHECK(r.config.items("by")[0].entries("named")[0].name == "day");
}
