#include "runtime/state/table_declaration.h"

#include "runtime/base/error.h"

namespace weir {

namespace {

void append_fields(std::string& out, const std::vector<Field>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Field& f = fields[i];
    out += i ? ", \"" : "\"";
    out += f.name + "\" " + f.type.name() + (f.nullable ? "" : " not null");
  }
}

/// Without blanks but those in texts. Names may hold expressions, too: `"count(distinct n)"`.
std::string squeezed(std::string_view schema) {
  std::string out;
  bool in_text = false, in_name = false;
  for (const char c : schema) {
    if (c == '\'' && !in_name) in_text = !in_text;
    if (c == '"' && !in_text) in_name = !in_name;
    if (in_text || (c != ' ' && c != '\n' && c != '\t' && c != '\r')) out += c;
  }
  return out;
}

}  // namespace

bool same_schema(std::string_view a, std::string_view b) { return a == b || squeezed(a) == squeezed(b); }

std::string TableDeclaration::schema() const {
  std::string s;
  append_fields(s, window);
  s += "; ";
  append_fields(s, key);
  s += "; ";
  append_fields(s, value);
  if (!meaning.empty()) s += "; " + meaning;
  return s;
}

TableDeclaration parse_table_schema(const std::string& name, const std::string& schema) {
  TableDeclaration table{.name = name};
  std::vector<Field>* parts[] = {&table.window, &table.key, &table.value};
  std::size_t part = 0, at = 0;
  const auto bad = [&] {
    return Error(Blame::kRefused, fmt::format("the schema of table {} cannot be read: {}", name, schema));
  };
  while (part < 3) {
    // A row type may hold any field, so each part is read as one row type.
    int depth = 0;
    bool quoted = false;
    std::size_t end = at;
    for (; end < schema.size(); ++end) {
      const char c = schema[end];
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ';' && depth == 0) break;
    }
    std::string text = schema.substr(at, end - at);
    while (!text.empty() && text.front() == ' ') text.erase(0, 1);
    if (!text.empty()) {
      Field row{"", Type::boolean()};
      if (parse_type("row(" + text + ")", row)) throw bad();
      *parts[part] = row.type.children();
    }
    at = end + 1;
    ++part;
    if (end >= schema.size() && part < 3) throw bad();
  }
  return table;
}

}  // namespace weir
