#include "tools/weir/expression_command.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "connectors/formats/formats.h"
#include "runtime/base/error.h"
#include "runtime/data/decimal.h"
#include "runtime/data/json_text.h"
#include "runtime/expr/bind/functions.h"
#include "runtime/expr/expression.h"
#include "runtime/expr/text/parse_value.h"

namespace weir {

namespace {

using Json = nlohmann::ordered_json;

/// Of a number as it is written: whole ones keep all their digits where a decimal has as many.
Type number_type(std::string_view text) {
  if (text.find_first_of(".eE") != std::string_view::npos) return Type::dbl();
  std::int64_t whole;
  if (parse_bigint(text, whole) == ParseStatus::kOk) return Type::bigint();
  Int128 wide;
  return parse_decimal_value(text, kDecimalDigits, 0, wide) == ParseStatus::kOk ? Type::decimal(kDecimalDigits, 0)
                                                                                : Type::dbl();
}

/// The type of a member's value, of which `text` is the JSON.
Type type_of(const Json& value, std::string_view text) {
  if (value.is_boolean()) return Type::boolean();
  if (value.is_number()) return number_type(text);
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    // Only what is plainly a point in time: a date, T or blank, and a time.
    const bool shaped = text.size() >= 16 && text[4] == '-' && text[7] == '-' && (text[10] == 'T' || text[10] == ' ');
    return shaped ? Type::timestamp() : Type::varchar();
  }
  return Type::json();
}

/// Reads an object's members as columns of these types, one row.
std::vector<ColumnPtr> read_members(const std::string& record, const std::string& path, const std::vector<Field>& fields) {
  std::vector<ColumnBuilder> builders;
  for (const Field& f : fields) builders.emplace_back(f.type);
  std::vector<DecodeError> errors;
  const std::string_view view = record;
  json_decoders(Schema(fields))->make()->decode({&view, 1}, builders, errors);
  if (!errors.empty()) throw Error(Blame::kUser, fmt::format("{}: {}", path, errors[0].reason));
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& b : builders) columns.push_back(b.finish());
  return columns;
}

Json parse_row(const std::string& text, const std::string& path) {
  std::string reason;
  try {
    if (Json row = Json::parse(text); row.is_object()) return row;
  } catch (const Json::out_of_range& e) {  // "… number overflow parsing '1e400'"
    const std::string_view what = e.what();
    const std::size_t begin = what.find('\'') + 1, end = what.rfind('\'');
    throw Error(Blame::kUser, fmt::format("{}: the number {} does not fit double", path, what.substr(begin, end - begin)));
  } catch (const Json::parse_error& e) {
    reason = fmt::format(": it is not JSON at byte {}", e.byte);
  }
  throw Error(Blame::kUser, fmt::format("{} must hold one JSON object{}", path, reason));
}

BatchPtr read_row(const std::string& path) {
  auto schema = std::make_shared<Schema>();
  if (path.empty()) return std::make_shared<const RecordBatch>(schema, std::vector<ColumnPtr>(), 1);
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Error(Blame::kUser, fmt::format("cannot read the row {}", path));
  const Json row = parse_row(text.str(), path);
  std::vector<Field> fields;
  for (const auto& [name, value] : row.items()) fields.push_back({name, Type::json()});
  const std::vector<ColumnPtr> texts = read_members(text.str(), path, fields);
  for (std::size_t i = 0; i < fields.size(); ++i)
    fields[i].type = type_of(row[fields[i].name], texts[i]->valid(0) ? texts[i]->text(0) : "null");
  *schema = Schema(fields);
  std::vector<ColumnPtr> columns = read_members(text.str(), path, fields);
  return std::make_shared<const RecordBatch>(schema, std::move(columns), 1);
}

/// The line of the expression that has the problem, with a caret below it.
std::string quoted_line(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::size_t begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;  // npos + 1 is 0
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::string blanks;
  for (const char c : line.substr(0, offset - begin))
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) blanks += c == '\t' ? '\t' : ' ';  // one a character
  return fmt::format("  {}\n  {}^", line, blanks);
}

}  // namespace

int eval_command(const std::string& text, const std::string& row_path, bool json, std::FILE* out) {
  const BatchPtr row = read_row(row_path);
  std::vector<ExpressionError> errors;
  const ExpressionPtr expression = Expression::compile(text, *row->schema(), errors);
  if (!expression) {
    std::string all;
    for (const ExpressionError& e : errors) {
      all += fmt::format("{}{}\n{}", all.empty() ? "" : "\n", e.text, quoted_line(text, e.offset));
      const bool lacks_row = row_path.empty() && e.hint.empty() && e.text.starts_with("unknown column");
      const std::string hint = lacks_row ? "--input ROW.json gives a row with columns" : e.hint;
      if (!hint.empty()) all += "\n  hint: " + hint;
    }
    throw Error(Blame::kUser, all);
  }
  EvaluationContext context{.now = system_clock().now()};
  context.random_seed = static_cast<std::uint64_t>(context.now.micros);
  std::vector<RowError> row_errors;
  const ColumnPtr value = expression->evaluate(*row, nullptr, context, row_errors);
  if (!row_errors.empty()) throw Error(Blame::kData, row_errors[0].reason);
  std::string s;
  if (json) {
    s = R"({"type":)";
    append_json_string(s, expression->type().name());
    s += R"(,"value":)";
    append_json(s, *value, 0);
    s += "}";
  } else {
    append_value(s, *value, 0);
    s += " :: " + expression->type().name();
  }
  std::fprintf(out, "%s\n", s.c_str());
  return 0;
}

int functions_command(const std::string& name, std::FILE* out) {
  if (name.empty()) {
    std::fputs(function_list().c_str(), out);
    return 0;
  }
  const auto page = function_reference(name);
  if (!page) {
    const std::string hint = function_name_hint(name);
    throw Error(Blame::kUser,
                fmt::format("no function is named {}; {}", name, hint.empty() ? "`weir functions` lists them" : hint));
  }
  std::fputs(page->c_str(), out);
  return 0;
}

}  // namespace weir
