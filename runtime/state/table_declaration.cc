#include "runtime/state/table_declaration.h"

#include "runtime/base/error.h"

namespace weir {

namespace {

void append_fields(std::string& out, const std::vector<Field>& fields, const std::vector<SortOrder>& orders = {}) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Field& f = fields[i];
    out += i ? ", \"" : "\"";
    out += f.name + "\" " + f.type.name() + (f.nullable ? "" : " not null");
    if (i < orders.size() && !orders[i].plain()) out += " " + orders[i].text();
  }
}

/// Where the part of `text` that begins at `at` ends: before the next `end` outside of names and parentheses.
std::size_t end_of_part(std::string_view text, std::size_t at, char end) {
  int depth = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == end && depth == 0) return at;
  }
  return at;
}

bool take_ending(std::string& text, std::string_view ending) {
  if (!text.ends_with(ending)) return false;
  text.resize(text.size() - ending.size());
  return true;
}

/// Takes the orders out of the text of a key's fields.
std::string take_orders(const std::string& text, std::vector<SortOrder>& orders) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_part(text, at, ',');
    std::string field = text.substr(at, end - at);
    SortOrder order;
    if (take_ending(field, " nulls first")) order.nulls_first = true;
    else if (take_ending(field, " nulls last")) order.nulls_first = false;
    order.descending = take_ending(field, " desc");
    orders.push_back(order);
    plain += (at > 0 ? "," : "") + field;
    at = end + 1;
  }
  while (!orders.empty() && orders.back().plain()) orders.pop_back();
  return plain;
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
  append_fields(s, key, orders);
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
    const std::size_t end = end_of_part(schema, at, ';');
    std::string text = schema.substr(at, end - at);
    while (!text.empty() && text.front() == ' ') text.erase(0, 1);
    if (part == 1) text = take_orders(text, table.orders);
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
