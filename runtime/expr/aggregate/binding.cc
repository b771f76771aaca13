#include "runtime/base/nearest.h"
#include "runtime/expr/aggregate.h"
#include "runtime/expr/bind/other_notation.h"
#include "runtime/expr/bind/registry.h"
#include "runtime/expr/program/compile.h"

namespace weir {
namespace {

using namespace expr;

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool has_column(const std::vector<Field>& fields, const Syntax& column) {
  return std::any_of(fields.begin(), fields.end(), [&](const Field& f) {
    return f.name == column.names[0] || (!column.quoted && same_letters(f.name, column.names[0]));
  });
}

/// Behind the parenthesis that matches the first one from `at` on; texts and quoted names may hold others.
std::size_t end_of_parentheses(std::string_view text, std::size_t at) {
  int depth = 0;
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && --depth == 0) {
      return at + 1;
    }
  }
  return text.size();
}

}  // namespace

/// Takes the aggregate calls out of one item.
class AggregateBinding {
 public:
  AggregateBinding(AggregateCalls& calls, std::string_view text, std::vector<ExpressionError>& errors)
      : calls_(calls), text_(text), errors_(errors) {}

  /// Puts a column of the results where an aggregate call stands.
  void replace(Syntax& s) {
    if (s.kind == SyntaxKind::kCall && is_aggregate(s.text)) return replace_call(s);
    if (s.kind == SyntaxKind::kCall) check_plain_call(s);
    if (s.kind == SyntaxKind::kColumn) check_column(s);
    for (Syntax& part : s.parts) replace(part);
  }

 private:
  void refuse(std::size_t offset, std::string text, std::string hint = {}) {
    errors_.push_back({offset, std::move(text), std::move(hint)});
  }

  void check_plain_call(const Syntax& s) {
    const bool known = !Registry::all().find(s.text).empty();
    if (!known && !function_of_other_dialect(s.text).empty()) return;  // the binder says it
    const std::string hint = known ? "" : nearest_hint(s.text, aggregate_names());
    if (s.star || s.distinct || !s.filter.empty() || !hint.empty())
      refuse(s.offset,
             known ? fmt::format("{} is no aggregate function", s.text)
                   : fmt::format("no aggregate function is named {}", s.text),
             hint);
  }

  void check_column(const Syntax& s) {
    const auto groups = static_cast<std::ptrdiff_t>(calls_.groups());
    const std::vector<Field>& fields = calls_.results_.fields();
    if (has_column({fields.begin(), fields.begin() + groups}, s) || !has_column(calls_.input_.fields(), s)) return;
    refuse(s.offset, fmt::format("column \"{}\" is neither in `by` nor inside an aggregate call", s.names[0]),
           fmt::format("write first({}) or add it to `by`", s.names[0]));
  }

  bool check_nesting(const Syntax& s) {
    if (s.kind == SyntaxKind::kCall && is_aggregate(s.text) && Registry::all().find(s.text).empty()) {
      refuse(s.offset, "aggregate calls cannot stand inside one another", "use two aggregate steps");
      return false;
    }
    if (s.kind == SyntaxKind::kCall && (s.star || s.distinct || !s.filter.empty())) {
      check_plain_call(s);
      return false;
    }
    return std::all_of(s.parts.begin(), s.parts.end(), [&](const Syntax& part) { return check_nesting(part); });
  }

  bool check_arguments(const Syntax& s) {
    const std::size_t wanted = s.star ? 0 : s.text == "string_agg" ? 2 : 1;
    if (s.star && s.text != "count")
      return refuse(s.offset, fmt::format("{}(*) does not exist; only count(*) does", s.text)), false;
    if (s.parts.size() != wanted)
      return refuse(s.offset,
                    fmt::format("{} takes {} argument{}, not {}", s.text, wanted, wanted == 1 ? "" : "s", s.parts.size()),
                    s.text == "count" ? "to count rows write count(*)" : ""),
             false;
    if (s.text == "string_agg" && s.parts[1].kind != SyntaxKind::kText)
      return refuse(s.parts[1].offset, "the second argument of string_agg must be a text in single quotes"), false;
    for (const std::vector<Syntax>* parts : {&s.parts, &s.filter})
      for (const Syntax& part : *parts)
        if (!check_nesting(part)) return false;
    return true;
  }

  std::string text_of(const Syntax& s) const {
    std::size_t end = end_of_parentheses(text_, s.offset);
    if (!s.filter.empty()) end = end_of_parentheses(text_, end);
    return std::string(text_.substr(s.offset, end - s.offset));
  }

  /// Of a call with distinct and one argument: `lower(name)`.
  std::string argument_text(const Syntax& s) const {
    const std::string call = text_of(s);
    std::string_view text = std::string_view(call).substr(0, end_of_parentheses(call, 0) - 1);
    text.remove_prefix(text.find('(') + 1);
    const auto trim = [&] {
      const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
      while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
      while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    };
    trim();
    text.remove_prefix(std::string_view("distinct").size());
    trim();
    return std::string(text);
  }

  void replace_call(Syntax& s) {
    if (!check_arguments(s)) return;
    AggregateCall call{.text = text_of(s)};
    AggregateRequest request{.name = s.text, .distinct = s.distinct, .retracts = calls_.retracts_};
    if (!s.star) {
      call.argument = compile(s.parts[0], text_, calls_.input_, errors_);
      if (!call.argument) return;
      request.argument = Field{"", call.argument->type(), call.argument->nullable()};
    }
    if (s.text == "string_agg") request.delimiter = s.parts[1].text;
    if (!s.filter.empty()) {
      call.filter = compile(s.filter[0], text_, calls_.input_, errors_, Type::boolean());
      if (!call.filter) return;
      if (call.filter->type().kind() != TypeKind::kBoolean)
        return refuse(s.filter[0].offset, fmt::format("a filter must be boolean, not {}", call.filter->type().name()));
    }
    const auto may_differ = [](const ExpressionPtr& e) { return e && !e->is_deterministic(); };
    if (calls_.retracts_ && (may_differ(call.argument) || may_differ(call.filter)))
      return refuse(s.offset,
                    fmt::format("rows of this input change and go, and {} depends on more than the row: what it took in "
                                "might not be taken back",
                                call.text),
                    "aggregate columns alone, or compute the column before the rows are aggregated");
    std::string problem;
    request.values_apart = calls_.values_apart_;
    call.function = make_aggregate(request, problem);
    if (!call.function) return refuse(s.offset, std::move(problem));
    const std::string name = call.text;
    if (request.values_apart && keeps_distinct_values(request)) calls_.add_to_set(std::move(call), argument_text(s));
    else calls_.add(std::move(call));
    Syntax column;
    column.kind = SyntaxKind::kColumn;
    column.offset = s.offset;
    column.names = {name};
    column.quoted = true;
    s = std::move(column);
  }

  AggregateCalls& calls_;
  std::string_view text_;
  std::vector<ExpressionError>& errors_;
};

ExpressionPtr AggregateCalls::bind(const std::string& name, std::string_view text, std::vector<ExpressionError>& errors) {
  std::optional<Syntax> syntax = parse_syntax(text, errors, true);
  if (!syntax) return nullptr;
  const std::size_t before = errors.size();
  AggregateBinding(*this, text, errors).replace(*syntax);
  if (errors.size() > before) return nullptr;
  ExpressionPtr expression = compile(*syntax, text, results_, errors);
  if (!expression) return nullptr;
  if (const auto column = expression->as_column(); column && *column >= groups_) {
    AggregateCall& call = calls_[static_cast<std::size_t>(*column - groups_)];
    if (call.name.empty()) call.name = name;
  }
  return expression;
}

}  // namespace weir
