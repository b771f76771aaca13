#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "connectors/formats/json/json_decoder.h"
#include "runtime/base/time.h"
#include "runtime/data/json_text.h"
#include "tests/connectors/formats/decoding.h"
#include "tests/support/source_tree.h"

namespace weir {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const fs::path kFolder = source_tree() / "tests/connectors/formats/oracle";

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  REQUIRE(in);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// One of the other engine's types as ours: `ROW<a INT>` is `row(a int)`.
std::string our_type(std::string type) {
  const std::pair<std::string, std::string> kWords[] = {{"STRING", "varchar"},
                                                        {"BIGINT", "bigint"},
                                                        {"INT", "int"},
                                                        {"DOUBLE", "double"},
                                                        {"BOOLEAN", "boolean"},
                                                        {"DECIMAL", "decimal"},
                                                        {"ARRAY", "array"},
                                                        {"MAP", "map"},
                                                        {"ROW", "row"},
                                                        {"DATE", "date"},
                                                        {"TIMESTAMP(3)", "timestamp"},
                                                        {"<", "("},
                                                        {">", ")"},
                                                        {"TIMESTAMP(6)", "timestamp"}};
  for (const auto& [theirs, ours] : kWords)
    for (std::size_t at; (at = type.find(theirs)) != std::string::npos;) type.replace(at, theirs.size(), ours);
  return type;
}

struct Case {
  Schema schema;
  std::vector<std::string> their_types;
  bool ignores_errors = false;  ///< the other engine makes null of what it cannot read
};

Case read_case(const fs::path& folder) {
  Case c;
  std::vector<std::pair<std::string, std::string>> columns;
  for (const std::string& line : lines_of(folder / "schema.txt")) {
    std::istringstream in(line);
    std::string word, name, type;
    in >> word >> name;
    std::getline(in >> std::ws, type);
    if (word == "option" && name == "json.ignore-parse-errors") c.ignores_errors = true;
    const bool unknown = type.starts_with("TIME(") || type.starts_with("TIMESTAMP_LTZ");  // no such types here
    if (word != "column" || unknown) continue;
    columns.emplace_back(name, our_type(type));
    c.their_types.push_back(type);
  }
  c.schema = test::schema_of(columns);
  return c;
}

/// A value in the form of the expected files.
Json theirs(const Column& c, std::int64_t i, const std::string& their_type) {
  if (!c.valid(i)) return nullptr;
  std::string text;
  switch (c.type().kind()) {
    case TypeKind::kDecimal:
    case TypeKind::kDate: append_value(text, c, i); return text;
    case TypeKind::kTimestamp: {
      std::string iso = format_iso({c.values<std::int64_t>()[i]});
      iso[10] = ' ';
      iso.pop_back();
      iso.resize(their_type.find("(6)") != std::string::npos ? 26 : 23, '0');
      return iso;
    }
    default: append_json(text, c, i); return Json::parse(text);
  }
}

/// `{"line":1,"rows":[…]}` or `{"line":1,"error":true}` as the decoder makes it of line n (from 1).
Json decode_line(const Case& c, const std::string& line, int n, std::string& reason) {
  JsonOptions options;
  options.timestamp = TimestampFormat::kSql;  // what the cases are about
  JsonDecoder decoder(c.schema, options);
  const test::Decoded d = test::decode(decoder, c.schema, {line});
  Json result{{"line", n}};
  Json row;
  if (!d.errors.empty()) {
    reason = d.errors[0].substr(3);
    if (!c.ignores_errors) return result["error"] = true, result;
    for (const Field& f : c.schema.fields()) row[f.name] = nullptr;
    return result["rows"] = Json::array({row}), result;
  }
  for (int k = 0; k < c.schema.size(); ++k)
    row[c.schema[k].name] = theirs(*d.columns[static_cast<std::size_t>(k)], 0, c.their_types[static_cast<std::size_t>(k)]);
  result["rows"] = Json::array({row});
  return result;
}

/// Where the engines read differently on purpose: (case, line) to what this one does.
std::map<std::pair<std::string, int>, std::string> read_differences() {
  std::map<std::pair<std::string, int>, std::string> differences;
  for (const std::string& line : lines_of(kFolder / "differences.jsonl")) {
    const Json d = Json::parse(line);
    differences[{d["case"], d["line"]}] = d["here"];
  }
  return differences;
}

}  // namespace

TEST_CASE("the other engine's JSON cases come out the same, but for the listed differences") {
  auto differences = read_differences();
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename();
    const Case c = read_case(entry.path());
    const std::vector<std::string> input = lines_of(entry.path() / "input.jsonl"),
                                   expected = lines_of(entry.path() / "expected.jsonl");
    REQUIRE(input.size() == expected.size());
    for (std::size_t i = 0; i < input.size(); ++i) {
      const int n = static_cast<int>(i) + 1;
      std::string reason;
      const Json found = decode_line(c, input[i], n, reason);
      Json wanted = Json::parse(expected[i]);
      for (Json& row : wanted.contains("rows") ? wanted["rows"] : wanted["none"])
        for (const char* unknown : {"z", "h"})
          if (!c.schema.find(unknown)) row.erase(unknown);
      wanted.erase("none");
      const auto listed = differences.find({name, n});
      const std::string here = found.contains("error") ? "error: " + reason : found["rows"][0].dump();
      INFO(name << " line " << n << ": " << input[i].substr(0, 200) << "\nfound    " << here << "\nexpected "
                << wanted.dump().substr(0, 300));
      if (listed == differences.end()) {
        CHECK(found == wanted);
      } else {
        CHECK(here == listed->second);
        CHECK(found != wanted);
        differences.erase(listed);
      }
    }
  }
  CHECK(differences.empty());
}

}  // namespace weir
