#include "tools/weir/state_command.h"

#include <nlohmann/json.hpp>
#include <set>

#include "runtime/base/error.h"
#include "runtime/base/nearest.h"
#include "runtime/checkpoint/folder.h"
#include "state/rocksdb_stores.h"
#include "tools/weir/state_rows.h"
#include "tools/weir/text_table.h"

namespace weir {
namespace {

using Json = nlohmann::ordered_json;

/// The state of a checkpoint, or null where it holds none.
std::unique_ptr<StateReader> open_state(const std::string& checkpoint, const Manifest& manifest) {
  const bool any = std::any_of(manifest.files.begin(), manifest.files.end(), [](const ManifestFile& f) { return f.path == "state/CURRENT"; });
  return any ? make_rocksdb_stores()->read(std::filesystem::path(checkpoint) / "state") : nullptr;
}

std::optional<StateTableId> table_id(const StateReader& reader, const std::string& step, const std::string& table) {
  const std::vector<std::string>& names = reader.tables();
  const auto at = std::find(names.begin(), names.end(), step + "/" + table);
  if (at == names.end()) return std::nullopt;
  return StateTableId{static_cast<std::uint32_t>(at - names.begin())};
}

/// A row of a state table, decoded.
struct DumpedRow {
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

/// Hands on the rows of a checkpoint by step, table and key, one by one, until `visit` answers false. Empty `step` and `table`: all.
void visit_rows(const std::string& checkpoint, const Manifest& manifest, const std::string& step, const std::string& table,
                const std::function<bool(DumpedRow)>& visit) {
  const auto wanted = [](const std::string& asked, const std::string& name) { return asked.empty() || asked == name; };
  for (const ManifestSource& source : manifest.sources)
    if (wanted(step, source.name) && wanted(table, "splits"))
      for (const ManifestSplit& split : source.splits)
        if (!visit({source.name, "splits", {{"topic", split.state.topic}, {"partition", split.state.partition}}, split_value(split)})) return;
  const std::unique_ptr<StateReader> reader = open_state(checkpoint, manifest);
  if (!reader) return;
  for (const ManifestStep& s : manifest.steps) {
    for (const ManifestTable& t : s.tables) {
      if (!wanted(step, s.name) || !wanted(table, t.name)) continue;
      const auto id = table_id(*reader, s.name, t.name);
      if (!id) continue;
      TableRows rows(t);
      for (auto cursor = reader->scan(*id); cursor->valid(); cursor->next())
        if (!visit({s.name, t.name, Json::parse(rows.key(cursor->key())), Json::parse(rows.value(cursor->value()))})) return;
    }
  }
}

/// Throws unless `name` is one of `names`.
void require_known(const char* what, const std::string& name, const std::vector<std::string>& names) {
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string hint = nearest_hint(name, names);
  throw Error(Blame::kUser, fmt::format("the checkpoint has no {} {}{}{}; it has: {}", what, name, hint.empty() ? "" : "; ", hint,
                                        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

/// The names of steps and sources, and of their tables.
struct StateNames {
  std::vector<std::string> steps, tables;
};
StateNames names_of(const Manifest& manifest, const std::string& step) {
  StateNames names;
  const auto add = [&](const std::string& owner, const std::string& table) {
    if (std::find(names.steps.begin(), names.steps.end(), owner) == names.steps.end()) names.steps.push_back(owner);
    if (!step.empty() && step != owner) return;
    if (std::find(names.tables.begin(), names.tables.end(), table) == names.tables.end()) names.tables.push_back(table);
  };
  for (const ManifestSource& s : manifest.sources) add(s.name, "splits");
  for (const ManifestStep& s : manifest.steps)
    for (const ManifestTable& t : s.tables) add(s.name, t.name);
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

/// Which rows have a key with the members that were asked for.
class KeyFilter {
 public:
  explicit KeyFilter(Json members) : members_(std::move(members)) {
    for (const auto& [name, value] : members_.items()) unknown_.insert(name);
  }
  bool takes(const Json& key) {
    if (!unknown_.empty())
      for (const auto& [name, value] : key.items()) unknown_.erase(name);
    last_ = key;
    for (const auto& [name, value] : members_.items())
      if (!key.contains(name) || key[name] != value) return false;
    return true;
  }
  /// Throws when a member was in no key at all.
  void require_known() const {
    if (unknown_.empty() || last_.is_null()) return;
    throw Error(Blame::kUser, fmt::format("no key has a member {}; a key is like {}", *unknown_.begin(), compact(last_)));
  }

 private:
  Json members_, last_;
  std::set<std::string> unknown_;  ///< members that no key has had so far
};

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell.append(c == '"' ? 2 : 1, c);
  return cell + '"';
}

/// Prints rows as they come; for people many at a time, since columns must fit.
class RowPrinter {
 public:
  RowPrinter(std::FILE* out, DumpFormat format) : out_(out), format_(format) {
    if (format_ == DumpFormat::kCsv) fmt::print(out_, "step,table,key,value\n");
  }
  ~RowPrinter() {
    if (format_ == DumpFormat::kTable && (!table_.empty() || rows_ == 0)) fmt::print(out_, "{}", table_.empty() ? "no rows\n" : table_.text());
  }
  void print(const DumpedRow& r) {
    switch (format_) {
      case DumpFormat::kJson:
        fmt::print(out_, "{}\n", compact({{"step", r.step}, {"table", r.table}, {"key", r.key}, {"value", r.value}}));
        return;
      case DumpFormat::kCsv:
        fmt::print(out_, "{},{},{},{}\n", csv_cell(r.step), csv_cell(r.table), csv_cell(compact(r.key)), csv_cell(compact(r.value)));
        return;
      case DumpFormat::kTable:
        table_.add({r.step, r.table, compact(r.key), compact(r.value)});
        if (++rows_ % kTableRows != 0) return;
        fmt::print(out_, "{}", table_.text());
        table_ = make_table();
    }
  }

 private:
  static constexpr std::uint64_t kTableRows = 1000;  ///< so many have one heading
  static TextTable make_table() { return TextTable({{"STEP"}, {"TABLE"}, {"KEY"}, {"VALUE"}}); }
  std::FILE* out_;
  DumpFormat format_;
  TextTable table_ = make_table();
  std::uint64_t rows_ = 0;
};

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
      table.add({step.name, t.name, row_count_text(t.rows), size_text(t.bytes), t.schema});
  fmt::print(out, "{}", table.empty() ? "no state\n" : table.text());
  return 0;
}

int state_dump(const std::string& checkpoint, const DumpOptions& options, std::FILE* out) {
  KeyFilter filter(parse_key(options.key));
  const Manifest manifest = read_checkpoint(checkpoint);
  require_known("step or source", options.step, names_of(manifest, "").steps);
  require_known("table", options.table, names_of(manifest, options.step).tables);
  RowPrinter printer(out, options.format);
  std::uint64_t shown = 0;
  if (options.limit && *options.limit == 0) return 0;
  visit_rows(checkpoint, manifest, options.step, options.table, [&](DumpedRow row) {
    if (!filter.takes(row.key)) return true;
    printer.print(row);
    return ++shown < options.limit.value_or(UINT64_MAX);
  });
  if (shown == 0) filter.require_known();
  return 0;
}

namespace {

/// What differs between two checkpoints, printed as it is found.
class StateDiff {
 public:
  explicit StateDiff(std::FILE* out) : out_(out) {}
  std::size_t count() const { return count_; }

  void splits(const Manifest& a, const Manifest& b) {
    std::map<std::string, Json> before, after;
    for (const auto& [manifest, rows] : {std::pair(&a, &before), std::pair(&b, &after)})
      for (const ManifestSource& source : manifest->sources)
        for (const ManifestSplit& split : source.splits)
          rows->emplace(fmt::format("{} splits {}", source.name, compact({{"topic", split.state.topic}, {"partition", split.state.partition}})),
                        split_value(split));
    for (const auto& [name, value] : before)
      if (!after.contains(name)) line('-', name, compact(value));
    for (const auto& [name, value] : after)
      if (const auto old = before.find(name); old == before.end()) line('+', name, compact(value));
      else changed(name, old->second, value);
  }

  /// Both tables lie sorted by key: one walk through both. A null reader, or one without the table, is an empty table.
  void table(const std::string& step, const ManifestTable& a, const StateReader* ra, const ManifestTable& b, const StateReader* rb) {
    TableRows rows_a(a), rows_b(b);
    auto left = cursor(ra, step, a.name), right = cursor(rb, step, b.name);
    const auto is = [](const auto& c) { return c && c->valid(); };
    while (is(left) || is(right)) {
      const int order = !is(left) ? 1 : !is(right) ? -1 : left->key().compare(right->key());
      if (order < 0) line('-', step + " " + a.name + " " + rows_a.key(left->key()), rows_a.value(left->value()));
      if (order > 0) line('+', step + " " + b.name + " " + rows_b.key(right->key()), rows_b.value(right->value()));
      if (order == 0 && (left->value() != right->value() || a.schema != b.schema))
        changed(step + " " + b.name + " " + rows_b.key(right->key()), Json::parse(rows_a.value(left->value())), Json::parse(rows_b.value(right->value())));
      if (order <= 0) left->next();
      if (order >= 0) right->next();
    }
  }

 private:
  static std::unique_ptr<StateCursor> cursor(const StateReader* reader, const std::string& step, const std::string& table) {
    const auto id = reader ? table_id(*reader, step, table) : std::nullopt;
    return id ? reader->scan(*id) : nullptr;
  }
  void line(char sign, const std::string& name, const std::string& what) {
    fmt::print(out_, "{} {} {}\n", sign, name, what);
    ++count_;
  }
  void changed(const std::string& name, const Json& before, const Json& after) {
    if (const std::string text = changes(before, after); !text.empty()) line('~', name, text);
  }

  std::FILE* out_;
  std::size_t count_ = 0;
};

}  // namespace

int state_diff(const std::string& a, const std::string& b, std::FILE* out) {
  const Manifest before = read_checkpoint(a), after = read_checkpoint(b);
  const auto state_before = open_state(a, before), state_after = open_state(b, after);
  StateDiff diff(out);
  diff.splits(before, after);
  std::map<std::pair<std::string, std::string>, std::pair<const ManifestTable*, const ManifestTable*>> tables;
  for (const ManifestStep& s : before.steps)
    for (const ManifestTable& t : s.tables) tables[{s.name, t.name}].first = &t;
  for (const ManifestStep& s : after.steps)
    for (const ManifestTable& t : s.tables) tables[{s.name, t.name}].second = &t;
  for (const auto& [name, both] : tables)
    diff.table(name.first, both.first ? *both.first : *both.second, both.first ? state_before.get() : nullptr,
               both.second ? *both.second : *both.first, both.second ? state_after.get() : nullptr);
  if (diff.count() == 0) fmt::print(out, "no differences\n");
  return 0;
}

}  // namespace weir
