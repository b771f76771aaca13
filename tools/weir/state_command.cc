#include "tools/weir/state_command.h"

#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/base/nearest.h"
#include "runtime/checkpoint/folder.h"
#include "tools/weir/text_table.h"

namespace weir {
namespace {

using Json = nlohmann::ordered_json;

/// A row of a state table, decoded.
struct StateRow {
  std::string step, table;
  Json key, value;
};

std::string compact(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json optional_json(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); }

Json split_value(const ManifestSplit& split) {
  const SplitState& s = split.state;
  return {{"next_offset", s.next},
          {"end_offset", optional_json(split.end_offset)},
          {"end", optional_json(s.end)},
          {"ended", s.ended},
          {"largest_time", s.largest_time ? Json(format_iso(*s.largest_time)) : Json(nullptr)}};
}

/// All rows of a checkpoint by step, table and key.
std::vector<StateRow> rows_of(const Manifest& manifest) {
  std::vector<StateRow> rows;
  for (const ManifestSource& source : manifest.sources)
    for (const ManifestSplit& split : source.splits)
      rows.push_back(
          {source.name, "splits", {{"topic", split.state.topic}, {"partition", split.state.partition}}, split_value(split)});
  for (const ManifestStep& step : manifest.steps)
    if (!step.tables.empty())
      throw Error(Blame::kRefused, fmt::format("state tables of steps are not supported yet; step: {}, table: {}", step.name,
                                               step.tables.front().name));
  return rows;
}

/// Throws unless `name` is one of `names`.
void require_known(const char* what, const std::string& name, const std::vector<std::string>& names) {
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string hint = nearest_hint(name, names);
  throw Error(Blame::kUser, fmt::format("the checkpoint has no {} {}{}{}; it has: {}", what, name, hint.empty() ? "" : "; ", hint,
                                        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

std::vector<std::string> names_of(const std::vector<StateRow>& rows, std::string StateRow::* member) {
  std::vector<std::string> names;
  for (const StateRow& row : rows)
    if (std::find(names.begin(), names.end(), row.*member) == names.end()) names.push_back(row.*member);
  return names;
}

/// The members that a row's key must have.
Json parse_key(const std::string& text) {
  if (text.empty()) return Json::object();
  Json key = Json::parse(text, nullptr, false);
  if (!key.is_object())
    throw Error(Blame::kUser, fmt::format("--key takes a JSON object such as '{{\"partition\":0}}'; given: {}", text));
  return key;
}

bool has_members(const Json& key, const Json& members) {
  for (const auto& [name, value] : members.items())
    if (!key.contains(name) || key[name] != value) return false;
  return true;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell.append(c == '"' ? 2 : 1, c);
  return cell + '"';
}

void print_rows(std::FILE* out, const std::vector<const StateRow*>& rows, DumpFormat format) {
  if (format == DumpFormat::kJson) {
    for (const StateRow* r : rows)
      fmt::print(out, "{}\n", compact({{"step", r->step}, {"table", r->table}, {"key", r->key}, {"value", r->value}}));
  } else if (format == DumpFormat::kCsv) {
    fmt::print(out, "step,table,key,value\n");
    for (const StateRow* r : rows)
      fmt::print(out, "{},{},{},{}\n", csv_cell(r->step), csv_cell(r->table), csv_cell(compact(r->key)),
                 csv_cell(compact(r->value)));
  } else {
    TextTable table({{"STEP"}, {"TABLE"}, {"KEY"}, {"VALUE"}});
    for (const StateRow* r : rows) table.add({r->step, r->table, compact(r->key), compact(r->value)});
    fmt::print(out, "{}", table.empty() ? "no rows\n" : table.text());
  }
}

std::string row_name(const StateRow& row) { return fmt::format("{} {} {}", row.step, row.table, compact(row.key)); }

/// `next_offset 120 -> 125, ended false -> true`; empty if nothing changed.
std::string changes(const Json& a, const Json& b) {
  std::string text;
  for (const auto& [name, value] : b.items()) {
    const Json before = a.contains(name) ? a[name] : Json(nullptr);
    if (before != value) text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", name, compact(before), compact(value));
  }
  return text;
}

}  // namespace

int state_ls(const std::string& checkpoint, std::FILE* out) {
  const Manifest manifest = read_checkpoint(checkpoint);
  TextTable table({{"STEP"}, {"TABLE"}, {"ROWS", TextTable::Align::kRight}, {"SIZE", TextTable::Align::kRight}, {"SCHEMA"}});
  for (const ManifestSource& s : manifest.sources)
    table.add({s.name, "splits", fmt::format("{}", s.splits.size()), "-", "positions of the source"});
  for (const ManifestStep& step : manifest.steps)
    for (const ManifestTable& t : step.tables)
      table.add({step.name, t.name, fmt::format("{}", t.rows), size_text(t.bytes), t.schema});
  fmt::print(out, "{}", table.empty() ? "no state\n" : table.text());
  return 0;
}

int state_dump(const std::string& checkpoint, const DumpOptions& options, std::FILE* out) {
  const Json key = parse_key(options.key);
  const std::vector<StateRow> rows = rows_of(read_checkpoint(checkpoint));
  require_known("step or source", options.step, names_of(rows, &StateRow::step));
  require_known("table", options.table, names_of(rows, &StateRow::table));
  std::vector<const StateRow*> shown;
  for (const StateRow& row : rows) {
    if (options.limit && shown.size() >= *options.limit) break;
    if (!options.step.empty() && row.step != options.step) continue;
    if (!options.table.empty() && row.table != options.table) continue;
    if (has_members(row.key, key)) shown.push_back(&row);
  }
  print_rows(out, shown, options.format);
  return 0;
}

int state_diff(const std::string& a, const std::string& b, std::FILE* out) {
  std::map<std::string, StateRow> before, after;
  for (StateRow& row : rows_of(read_checkpoint(a))) before.emplace(row_name(row), row);
  for (StateRow& row : rows_of(read_checkpoint(b))) after.emplace(row_name(row), row);
  std::size_t count = 0;
  const auto line = [&](char sign, const std::string& name, const std::string& what) {
    fmt::print(out, "{} {} {}\n", sign, name, what);
    ++count;
  };
  for (const auto& [name, row] : before)
    if (!after.contains(name)) line('-', name, compact(row.value));
  for (const auto& [name, row] : after) {
    const auto old = before.find(name);
    if (old == before.end()) line('+', name, compact(row.value));
    else if (const std::string text = changes(old->second.value, row.value); !text.empty()) line('~', name, text);
  }
  if (count == 0) fmt::print(out, "no differences\n");
  return 0;
}

}  // namespace weir
