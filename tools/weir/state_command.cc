#include "tools/weir/state_command.h"

#include <map>

#include "runtime/base/error.h"
#include "runtime/base/nearest.h"
#include "runtime/checkpoint/folder.h"
#include "runtime/data/json_text.h"
#include "runtime/state/row_count.h"
#include "tools/weir/key_filter.h"
#include "tools/weir/open_checkpoint.h"
#include "tools/weir/state_rows.h"
#include "tools/weir/text_table.h"

namespace weir {
namespace {

/// A row of a state table; key and value as JSON objects.
struct DumpedRow {
  const std::string &step, &table;
  std::string key, value;
};

/// A table whose rows are asked for, of a source (then it is `splits`) or a step.
struct AskedTable {
  const ManifestSource* source;
  const ManifestStep* step;
  const ManifestTable* table;
  TableFilter filter;
};

const std::string kSplits = "splits";

/// The tables of that name and step that may hold rows that the filter takes. Empty `step` and `table`: all.
std::vector<AskedTable> asked_tables(const Manifest& manifest, const std::string& step, const std::string& table,
                                     KeyFilter& filter) {
  const auto wanted = [](const std::string& asked, const std::string& name) { return asked.empty() || asked == name; };
  const TableDeclaration splits{.name = kSplits, .window = {}, .key = split_key_fields(), .value = {}};
  std::vector<AskedTable> asked;
  for (const ManifestSource& source : manifest.sources)
    if (wanted(step, source.name) && wanted(table, kSplits))
      if (auto f = filter.of(source.name, splits)) asked.push_back({&source, nullptr, nullptr, std::move(*f)});
  for (const ManifestStep& s : manifest.steps)
    for (const ManifestTable& t : s.tables)
      if (wanted(step, s.name) && wanted(table, t.name))
        if (auto f = filter.of(s.name, parse_table_schema(t.name, t.schema)))
          asked.push_back({nullptr, &s, &t, std::move(*f)});
  return asked;
}

/// Hands on the rows of a table by key, one by one, until `visit` answers false: then so does this.
bool visit_rows(const OpenCheckpoint& checkpoint, const AskedTable& asked,
                const std::function<bool(const DumpedRow&)>& visit) {
  if (asked.source) {
    for (const ManifestSplit& split : asked.source->splits)
      if (asked.filter.takes(stored_split_key(split)) &&
          !visit({asked.source->name, kSplits, object_text(split_key(split)), object_text(split_value(split))}))
        return false;
    return true;
  }
  const auto cursor = checkpoint.scan(asked.step->name, *asked.table);
  TableRows rows(*asked.table);
  for (; cursor && cursor->valid(); cursor->next())
    if (asked.filter.takes(cursor->key()) &&
        !visit({asked.step->name, asked.table->name, rows.key(cursor->key()), rows.value(cursor->value())}))
      return false;
  return true;
}

/// Throws unless `name` is one of `names`.
void require_known(const char* what, const std::string& name, const std::vector<std::string>& names) {
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string hint = nearest_hint(name, names);
  throw Error(Blame::kUser, fmt::format("the checkpoint has no {} {}{}{}; it has: {}", what, name, hint.empty() ? "" : "; ",
                                        hint, names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
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
    if (format_ == DumpFormat::kTable && (!table_.empty() || rows_ == 0))
      fmt::print(out_, "{}", table_.empty() ? "no rows\n" : table_.text());
  }
  void print(const DumpedRow& r) {
    switch (format_) {
      case DumpFormat::kJson:
        line_ = R"({"step":)";
        append_json_string(line_, r.step);
        line_ += R"(,"table":)";
        append_json_string(line_, r.table);
        line_.append(R"(,"key":)").append(r.key).append(R"(,"value":)").append(r.value).append("}\n");
        std::fwrite(line_.data(), 1, line_.size(), out_);
        return;
      case DumpFormat::kCsv:
        fmt::print(out_, "{},{},{},{}\n", csv_cell(r.step), csv_cell(r.table), csv_cell(r.key), csv_cell(r.value));
        return;
      case DumpFormat::kTable:
        table_.add({r.step, r.table, r.key, r.value});
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
  std::string line_;
  std::uint64_t rows_ = 0;
};

/// `next_offset 120 -> 125, ended false -> true`; empty if nothing changed. What one of them lacks is null there.
std::string changes(const std::vector<JsonMember>& before, const std::vector<JsonMember>& after) {
  const auto value_in = [](const std::vector<JsonMember>& members, const std::string& name) {
    const auto at = std::find_if(members.begin(), members.end(), [&](const JsonMember& m) { return m.name == name; });
    return at == members.end() ? std::string("null") : at->value;
  };
  std::vector<std::string> names;
  for (const JsonMember& m : after) names.push_back(m.name);
  for (const JsonMember& m : before)
    if (std::find(names.begin(), names.end(), m.name) == names.end()) names.push_back(m.name);
  std::string text;
  for (const std::string& name : names) {
    const std::string old = value_in(before, name), now = value_in(after, name);
    if (old != now) text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", name, old, now);
  }
  return text;
}

/// A table as an object of `ls --json`. Of a source: no bytes, no schema.
std::string listed_table(const std::string& owner, const std::string& table, std::uint64_t rows,
                         const ManifestTable* stored) {
  const auto text = [](const std::string& t) {
    std::string json;
    append_json_string(json, t);
    return json;
  };
  std::vector<JsonMember> members{{"step", text(owner)}, {"table", text(table)}, {"rows", fmt::format("{}", rows)}};
  if (stored) members.push_back({"bytes", fmt::format("{}", stored->bytes)});
  if (stored) members.push_back({"schema", text(stored->schema)});
  if (stored && rows > kCountedRows) members.push_back({"rows_estimated", "true"});
  return object_text(members);
}

void list_as_json(const Manifest& manifest, std::FILE* out) {
  std::string list;
  for (const ManifestSource& s : manifest.sources)
    list += (list.empty() ? "" : ",") + listed_table(s.name, kSplits, s.splits.size(), nullptr);
  for (const ManifestStep& step : manifest.steps)
    for (const ManifestTable& t : step.tables)
      list += (list.empty() ? "" : ",") + listed_table(step.name, t.name, t.rows, &t);
  fmt::print(out, "[{}]\n", list);
}

}  // namespace

int state_ls(const std::string& checkpoint, bool json, std::FILE* out) {
  const Manifest manifest = read_checkpoint(checkpoint);
  if (json) return list_as_json(manifest, out), 0;
  TextTable table({{"STEP"}, {"TABLE"}, {"ROWS", TextTable::Align::kRight}, {"SIZE", TextTable::Align::kRight}, {"SCHEMA"}});
  for (const ManifestSource& s : manifest.sources)
    table.add({s.name, kSplits, fmt::format("{}", s.splits.size()), "-", "positions of the source"});
  for (const ManifestStep& step : manifest.steps)
    for (const ManifestTable& t : step.tables)
      table.add({step.name, t.name, row_count_text(t.rows), size_text(t.bytes), t.schema});
  fmt::print(out, "{}", table.empty() ? "no state\n" : table.text());
  return 0;
}

int state_dump(const std::string& checkpoint, const DumpOptions& options, std::FILE* out, std::FILE* notes) {
  KeyFilter filter(options.key);
  const OpenCheckpoint opened(checkpoint);
  require_known("step or source", options.step, names_of(opened.manifest(), "").steps);
  require_known("table", options.table, names_of(opened.manifest(), options.step).tables);
  const std::vector<AskedTable> tables = asked_tables(opened.manifest(), options.step, options.table, filter);
  filter.require_fit();
  const std::uint64_t limit = options.limit.value_or(UINT64_MAX);
  if (limit == 0) return 0;
  std::uint64_t shown = 0;
  {
    RowPrinter printer(out, options.format);
    const auto show = [&](const DumpedRow& row) { return printer.print(row), ++shown < limit; };
    for (const AskedTable& table : tables)
      if (!visit_rows(opened, table, show)) break;
  }
  if (shown == 0 && !filter.empty()) fmt::print(notes, "no row has the key {}\n", filter.text());
  return 0;
}

namespace {

/// What differs between two checkpoints, printed as it is found.
class StateDiff {
 public:
  explicit StateDiff(std::FILE* out) : out_(out) {}
  std::size_t count() const { return count_; }

  void splits(const Manifest& a, const Manifest& b) {
    std::map<std::string, std::vector<JsonMember>> before, after;
    for (const auto& [manifest, rows] : {std::pair(&a, &before), std::pair(&b, &after)})
      for (const ManifestSource& source : manifest->sources)
        for (const ManifestSplit& split : source.splits)
          rows->emplace(fmt::format("{} {} {}", source.name, kSplits, object_text(split_key(split))), split_value(split));
    for (const auto& [name, value] : before)
      if (!after.contains(name)) line('-', name, object_text(value));
    for (const auto& [name, value] : after)
      if (const auto old = before.find(name); old == before.end()) line('+', name, object_text(value));
      else changed(name, old->second, value);
  }

  /// Both tables lie sorted by key: one walk through both. A null table is an empty one; they are not both null.
  void table(const std::string& step, const OpenCheckpoint& from, const ManifestTable* in_a, const OpenCheckpoint& to,
             const ManifestTable* in_b) {
    const ManifestTable &a = in_a ? *in_a : *in_b, &b = in_b ? *in_b : *in_a;
    TableRows rows_a(a), rows_b(b);
    const auto left = in_a ? from.scan(step, a) : nullptr, right = in_b ? to.scan(step, b) : nullptr;
    const auto is = [](const auto& c) { return c && c->valid(); };
    while (is(left) || is(right)) {
      const int order = !is(left) ? 1 : !is(right) ? -1 : left->key().compare(right->key());
      if (order < 0) line('-', step + " " + a.name + " " + rows_a.key(left->key()), rows_a.value(left->value()));
      if (order > 0) line('+', step + " " + b.name + " " + rows_b.key(right->key()), rows_b.value(right->value()));
      if (order == 0 && (left->value() != right->value() || a.schema != b.schema))
        changed(step + " " + b.name + " " + rows_b.key(right->key()), rows_a.value_members(left->value()),
                rows_b.value_members(right->value()));
      if (order <= 0) left->next();
      if (order >= 0) right->next();
    }
  }

 private:
  void line(char sign, const std::string& name, const std::string& what) {
    fmt::print(out_, "{} {} {}\n", sign, name, what);
    ++count_;
  }
  void changed(const std::string& name, const std::vector<JsonMember>& before, const std::vector<JsonMember>& after) {
    if (const std::string text = changes(before, after); !text.empty()) line('~', name, text);
  }

  std::FILE* out_;
  std::size_t count_ = 0;
};

}  // namespace

int state_diff(const std::string& a, const std::string& b, std::FILE* out) {
  const OpenCheckpoint before(a), after(b);
  StateDiff diff(out);
  diff.splits(before.manifest(), after.manifest());
  std::map<std::pair<std::string, std::string>, std::pair<const ManifestTable*, const ManifestTable*>> tables;
  for (const ManifestStep& s : before.manifest().steps)
    for (const ManifestTable& t : s.tables) tables[{s.name, t.name}].first = &t;
  for (const ManifestStep& s : after.manifest().steps)
    for (const ManifestTable& t : s.tables) tables[{s.name, t.name}].second = &t;
  for (const auto& [name, both] : tables) diff.table(name.first, before, both.first, after, both.second);
  if (diff.count() == 0) fmt::print(out, "no differences\n");
  return 0;
}

}  // namespace weir
