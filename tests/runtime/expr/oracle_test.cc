#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/runtime/expr/table.h"
#include "tests/support/source_tree.h"

using namespace weir;
using namespace weir::test;

// Results that another engine (Apache Flink SQL) gives for small tables, see oracle/README.md. Where PostgreSQL's rules or a
// decision of ours say something else, the README's table says what and why, and what weir gives instead is checked.

namespace {

using nlohmann::json;

const std::string kFolder = (source_tree() / "tests/runtime/expr/oracle/").string();

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  INFO(path);
  REQUIRE(in);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string type_here(std::string type) {
  if (type == "STRING") return "varchar";
  if (type == "FLOAT") return "double";
  if (type.starts_with("TIMESTAMP")) return "timestamp";
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::tolower(c); });
  return type;
}

/// A JSON value as the text that append_parsed takes.
std::string text_of(const json& e) { return e.is_string() ? e.get<std::string>() : e.dump(); }

BatchPtr read_table(const std::string& folder) {
  std::string schema;
  std::vector<std::string> names;
  for (const std::string& line : lines_of(folder + "schema.txt")) {
    if (!line.starts_with("column ")) continue;
    const std::size_t space = line.find(' ', 7);
    names.push_back(line.substr(7, space - 7));
    schema += (schema.empty() ? "" : ", ") + names.back() + " " + type_here(line.substr(space + 1));
  }
  std::vector<Texts> rows;
  for (const std::string& line : lines_of(folder + "input.jsonl")) {
    const json document = json::parse(line);
    Texts row;
    for (const std::string& name : names) row.push_back(document.contains(name) ? text_of(document[name]) : "null");
    rows.push_back(row);
  }
  return table(schema, rows);
}

/// True if ours, as printed, is the expected value.
bool same(const std::string& ours, const Type& type, const json& expected) {
  if (expected.is_object()) return ours.starts_with("error: ");
  if (expected.is_null()) return ours == "null";
  if (ours == "null" || ours.starts_with("error: ")) return false;
  const std::string wanted = text_of(expected);
  if (type.kind() == TypeKind::kBoolean) return ours == wanted.substr(0, 1);
  if (type.kind() == TypeKind::kTimestamp || type.kind() == TypeKind::kDate) {
    std::int64_t a = 0, b = 1;
    return parse_timestamp(ours, a) == ParseStatus::kOk && parse_timestamp(wanted, b) == ParseStatus::kOk && a == b;
  }
  if (!type.is_number()) return ours == wanted;
  Int128 a = 0, b = 1;
  if (type.kind() != TypeKind::kDouble && parse_decimal_value(ours, 38, 18, a) == ParseStatus::kOk &&
      parse_decimal_value(wanted, 38, 18, b) == ParseStatus::kOk)
    return a == b;
  double x = 0, y = 1;
  if (parse_double(ours, x) != ParseStatus::kOk || parse_double(wanted, y) != ParseStatus::kOk) return false;
  return x == y || (std::isnan(x) && std::isnan(y)) || std::fabs(x - y) <= 1e-12 * std::fabs(y);
}

/// What the README says weir gives: by case and expression.
std::map<std::pair<std::string, std::string>, std::string> decisions() {
  std::map<std::pair<std::string, std::string>, std::string> out;
  for (std::string line : lines_of(kFolder + "README.md")) {
    if (!line.starts_with("| ") || line.find(" | `") == std::string::npos) continue;
    std::vector<std::string> cells(1);
    for (std::size_t i = 2; i < line.size(); ++i) {
      if (line[i] == '\\' && i + 1 < line.size()) cells.back() += line[++i];
      else if (line.compare(i, 3, " | ") == 0) cells.emplace_back(), i += 2;
      else cells.back() += line[i];
    }
    const auto plain = [](std::string s) { return s.size() > 1 && s.front() == '`' ? s.substr(1, s.size() - 2) : s; };
    REQUIRE(cells.size() >= 4);
    const auto added = out.emplace(std::pair(cells[0], plain(cells[1])), plain(cells[2]));
    INFO(line);
    CHECK(added.second);
  }
  return out;
}

std::string joined(const Texts& values) {
  std::string s;
  for (const std::string& v : values) s += (s.empty() ? "" : "; ") + v.substr(0, v.starts_with("error: ") ? 5 : v.size());
  return s;
}

}  // namespace

TEST_CASE("results agree with the reference, but for what the table of differences says") {
  auto decided = decisions();
  for (const char* name : {"cast-number", "cast-string-number", "compare-null", "decimal", "double", "int-arithmetic",
                           "like", "logic", "string-basic", "string-substring", "timestamp-parts"}) {
    const std::string folder = kFolder + name + "/";
    const BatchPtr batch = read_table(folder);
    for (const std::string& line : lines_of(folder + "expected.jsonl")) {
      const json record = json::parse(line);
      const bool is_rejected = record.contains("rejected");
      const std::string expression = text_of(record["expr"]);
      const auto decision = decided.find(std::pair<std::string, std::string>(name, expression));
      const bool is_decided = decision != decided.end();
      const std::string wanted = is_decided ? decision->second : "";
      if (is_decided) decided.erase(decision);
      std::vector<ExpressionError> errors;
      const ExpressionPtr e = Expression::compile(expression, *batch->schema(), errors);
      INFO(name << " | " << expression);
      if (!e) {
        INFO(errors[0].text);
        if (!is_rejected || is_decided) CHECK(wanted == "refused");
        continue;
      }
      const Texts ours = values_of(expression, batch);
      INFO(line);
      INFO(joined(ours));
      if (is_decided) {
        CHECK(joined(ours) == wanted);
        continue;
      }
      if (is_rejected) continue;
      bool all_same = true;
      std::size_t row = 0;
      for (const json& expected : record["values"]) all_same &= same(ours.at(row++), e->type(), expected);
      CHECK(all_same);
    }
  }
  for (const auto& [key, value] : decided) {
    INFO("in the table, but not in the cases: " << key.first << " | " << key.second);
    CHECK(false);
  }
}
