#include "runtime/expr/syntax/syntax.h"

#include <pg_query.h>
#include <simdjson.h>

#include "runtime/base/utf8.h"
#include "runtime/expr/bind/other_notation.h"
#include "runtime/expr/syntax/syntax_tree.h"
#include "runtime/expr/text/utf8.h"

namespace weir::expr {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

namespace {

constexpr std::string_view kPrefix = "SELECT ";
constexpr std::size_t kLongest = 64 * 1024;
constexpr std::size_t kDeepest = 3000;
constexpr const char* kSplitHint = "split it over several select steps";

struct ResultDeleter {
  PgQueryParseResult result;
  ~ResultDeleter() { pg_query_free_parse_result(result); }
};

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string quote_hint(std::string_view word) { return fmt::format("to name a column, write \"{}\"", lower(word)); }

/// The byte at which code point `n` (from 0) begins.
std::size_t byte_of_code_point(std::string_view text, std::size_t n) {
  std::size_t i = 0;
  while (i < text.size() && n > 0) {
    ++i;
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) ++i;
    --n;
  }
  return i;
}

/// The word that ends right before `at`, with where it begins, if it is reserved.
std::string_view reserved_before(std::string_view text, std::size_t at, std::size_t& begins) {
  while (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1]))) --at;
  begins = at;
  while (begins > 0 && word_char(text[begins - 1])) --begins;
  const std::string_view word = text.substr(begins, at - begins);
  return is_reserved_word(lower(word)) ? word : std::string_view{};
}

/// The parser's scanner works on bytes, so that what it shows of `here` (`… at or near "1\xe2"`) may end within a character:
/// shows all of it.
std::string with_whole_characters(std::string message, std::string_view here) {
  const std::size_t bad = first_invalid_utf8(message), shown = message.rfind('"', bad) + 1;  // 0 where there is no quote
  if (bad == message.size() || shown == 0) return message;
  const std::string_view token = std::string_view(message).substr(shown, bad - shown);
  message.resize(here.starts_with(token) ? bad : shown);
  if (here.starts_with(token) && token.size() < here.size())
    message += here.substr(token.size(), code_point_size(here, token.size()));
  return message + '"';
}

/// The parser's message in our words.
std::string parser_message(std::string_view message) {
  if (message == "syntax error at end of input") return "the expression ends too early";
  if (message.starts_with("memory exhausted")) return "the expression is nested too deeply";
  return std::string(message);
}

/// Turns the parser's complaint into one about the expression: the place in it, and what to write if a keyword is to blame.
ExpressionError syntax_error(std::string_view text, const PgQueryError& error) {
  ExpressionError out;
  out.text = parser_message(error.message);
  if (out.text == "the expression is nested too deeply") {
    out.hint = kSplitHint;
    return out;
  }
  const std::string statement = std::string(kPrefix) + std::string(text);
  const std::size_t at =
      error.cursorpos > 0 ? byte_of_code_point(statement, static_cast<std::size_t>(error.cursorpos) - 1) : kPrefix.size();
  out.offset = std::min(text.size(), at < kPrefix.size() ? 0 : at - kPrefix.size());
  out.text = with_whole_characters(std::move(out.text), text.substr(out.offset));
  std::size_t end = out.offset;
  while (end < text.size() && word_char(text[end])) ++end;
  const std::string_view here = text.substr(out.offset, end - out.offset);
  out.hint = notation_hint(text, out.offset, error.message);
  if (is_reserved_word(lower(here)) && out.hint.empty()) {
    const bool statement = out.offset == 0 && text.size() > here.size() && lower(here) == "select";
    out.hint = statement ? "write an expression, as behind a select: 1 + 1, not a whole statement" : quote_hint(here);
    return out;
  }
  std::size_t begins = 0;
  const std::string_view before = reserved_before(text, out.offset, begins);
  static constexpr std::string_view kClauses[] = {"limit",  "offset", "order", "group", "from",  "where",
                                                  "having", "for",    "into",  "fetch", "window"};
  for (const std::string_view clause : kClauses)
    if (lower(before) == clause) {
      out.offset = begins;
      out.text = fmt::format("syntax error at the keyword \"{}\"", before);
      out.hint = quote_hint(before);
    }
  const std::string whole = lower(text);
  if (out.text == "the expression ends too early" && out.hint.empty() && is_reserved_word(whole))
    out.hint = quote_hint(whole);
  return out;
}

/// What may not stand in an expression though `SELECT expression` has it.
bool only_a_target(object select, TreeReader& reader, std::string_view text) {
  struct Clause {
    const char* key;
    const char* name;
  };
  static constexpr Clause kClauses[] = {{"fromClause", "from"},
                                        {"whereClause", "where"},
                                        {"groupClause", "group by"},
                                        {"havingClause", "having"},
                                        {"windowClause", "window"},
                                        {"sortClause", "order by"},
                                        {"limitCount", "limit"},
                                        {"limitOffset", "offset"},
                                        {"lockingClause", "for update"},
                                        {"intoClause", "into"},
                                        {"distinctClause", "distinct"},
                                        {"withClause", "with"},
                                        {"valuesLists", "values"},
                                        {"larg", "union"},
                                        {"rarg", "union"}};
  for (const Clause& c : kClauses) {
    if (select[c.key].error()) continue;
    const std::string first = std::string(c.name).substr(0, std::string_view(c.name).find(' '));
    std::size_t at = lower(text).rfind(first);
    if (at == std::string::npos) at = 0;
    const bool reserved = is_reserved_word(first);
    const bool is_whole_clause = at == text.find_first_not_of(" \t\r\n") && first == "where";
    reader.refuse(at, fmt::format("`{}` cannot stand in an expression", c.name),
                  is_whole_clause ? "write the condition alone"
                  : reserved      ? quote_hint(first)
                                  : "");
    return false;
  }
  return true;
}

/// A word behind an expression, which PostgreSQL takes for the name of the result.
void refuse_name(std::string_view text, std::string_view name, TreeReader& reader) {
  static constexpr std::string_view kUnfinished[] = {"and",   "or",      "not",  "is",   "in",   "like",
                                                     "ilike", "between", "case", "when", "then", "else"};
  if (std::find(std::begin(kUnfinished), std::end(kUnfinished), name) != std::end(kUnfinished))
    return reader.refuse(text.find_last_not_of(" \t\r\n") + 1,
                         fmt::format("the expression ends too early, behind {}", name));
  const std::size_t at = lower(text).rfind(std::string(name));
  std::size_t begins = at == std::string::npos ? 0 : at;
  while (begins > 0 && std::isspace(static_cast<unsigned char>(text[begins - 1]))) --begins;
  const bool has_as = begins >= 2 && lower(text.substr(begins - 2, 2)) == "as";
  reader.refuse(at == std::string::npos ? 0 : at, fmt::format("unexpected name `{}` behind the expression", name),
                fmt::format("{}a result is named by its key: {{ {}: \"...\" }}",
                            has_as ? "" : "is an operator missing before it? ", name));
}

/// `write 1000` where the second of two expressions is the rest of a number: `price > 1,000`.
std::string thousands_hint(std::string_view text, std::size_t at) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto digits_from = [&](std::size_t begin) {
    std::size_t end = begin;
    while (end < text.size() && is_digit(text[end])) ++end;
    return end - begin;
  };
  if (at < 2 || text[at - 1] != ',' || !is_digit(text[at - 2]) || digits_from(at) != 3) return {};
  std::size_t begin = at - 1;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  std::string number(text.substr(begin, at - 1 - begin));
  for (; at < text.size() && digits_from(at) == 3; at += 4) {
    number += text.substr(at, 3);
    if (at + 3 >= text.size() || text[at + 3] != ',') break;
  }
  return fmt::format("a number has no commas: write {}", number);
}

std::optional<Syntax> read_statement(element tree, std::string_view text, std::vector<ExpressionError>& errors,
                                     bool aggregates) {
  TreeReader reader(text, kPrefix.size(), errors, aggregates);
  array statements, targets;
  object select;
  if (tree["stmts"].get(statements)) return std::nullopt;
  if (statements.size() != 1 || !statements.at(0)["stmt_len"].error()) {
    const std::size_t at = text.find(';');
    reader.refuse(at == std::string_view::npos ? 0 : at, "an expression is not a list of statements",
                  "remove the `;` and what follows");
    return std::nullopt;
  }
  if (statements.at(0)["stmt"]["SelectStmt"].get(select)) {
    reader.refuse(0, "this is not an expression");
    return std::nullopt;
  }
  if (!only_a_target(select, reader, text)) return std::nullopt;
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (lower(text.substr(first, 3)) == "all" && (first + 3 >= text.size() || !word_char(text[first + 3]))) {
    reader.refuse(first, "`all` cannot stand in an expression", quote_hint("all"));
    return std::nullopt;
  }
  if (select["targetList"].get(targets) || targets.size() == 0) {
    reader.refuse(0, "the expression is empty", "write a column, a value, or a computation such as price * 2");
    return std::nullopt;
  }
  if (targets.size() > 1) {
    const object second = targets.at(1)["ResTarget"];
    const std::size_t at = reader.place(second, 0);
    reader.refuse(at, "two expressions, separated by a comma, where one is expected", thousands_hint(text, at));
    return std::nullopt;
  }
  const object target = targets.at(0)["ResTarget"];
  std::string_view name;
  if (!target["name"].get(name)) {
    refuse_name(text, name, reader);
    return std::nullopt;
  }
  if (!target["indirection"].error()) {
    reader.refuse(0, "this is not an expression");
    return std::nullopt;
  }
  return reader.read(target["val"], 0);
}

}  // namespace

std::optional<Syntax> parse_syntax(std::string_view text, std::vector<ExpressionError>& errors, bool aggregates) {
  if (text.size() > kLongest) {
    errors.push_back({0, fmt::format("the expression is longer than {} KiB", kLongest / 1024), ""});
    return std::nullopt;
  }
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    errors.push_back({0, "the expression is not valid UTF-8", ""});
    return std::nullopt;
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    errors.push_back({zero, "the expression has a zero byte", ""});
    return std::nullopt;
  }
  if (std::optional<ExpressionError> other = other_notation(text)) {
    errors.push_back(std::move(*other));
    return std::nullopt;
  }
  const std::string statement = std::string(kPrefix) + std::string(text);
  const ResultDeleter parsed{pg_query_parse(statement.c_str())};
  if (parsed.result.error) {
    errors.push_back(syntax_error(text, *parsed.result.error));
    return std::nullopt;
  }
  const std::string_view json(parsed.result.parse_tree);
  simdjson::dom::parser parser;
  element tree;
  if (parser.allocate(json.size() + 64, kDeepest) || parser.parse(json.data(), json.size()).get(tree)) {
    errors.push_back({0, "the expression is nested too deeply", kSplitHint});
    return std::nullopt;
  }
  const std::size_t before = errors.size();
  std::optional<Syntax> syntax = read_statement(tree, text, errors, aggregates);
  if (errors.size() > before) return std::nullopt;
  return syntax;
}

std::vector<Syntax> conjuncts(const Syntax& condition) {
  if (condition.kind != SyntaxKind::kAnd) return {condition};
  std::vector<Syntax> all;
  for (const Syntax& part : condition.parts)
    for (Syntax& conjunct : conjuncts(part)) all.push_back(std::move(conjunct));
  return all;
}

}  // namespace weir::expr
