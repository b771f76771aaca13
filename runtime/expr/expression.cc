#include "runtime/expr/expression.h"

#include <algorithm>

#include "runtime/expr/bind/binder.h"
#include "runtime/expr/program/compile.h"

namespace weir {

namespace {

using namespace expr;

class Program final : public Expression {
 public:
  Program(std::string_view text, NodePtr root, const std::set<int>& columns, int slots)
      : text_(text),
        root_(std::move(root)),
        columns_(columns.begin(), columns.end()),
        slots_(slots),
        deterministic_(is_deterministic(*root_)) {}

  const Type& type() const override { return root_->type(); }
  bool nullable() const override { return root_->nullable(); }
  const std::vector<int>& columns() const override { return columns_; }
  std::optional<int> as_column() const override {
    if (const auto* c = dynamic_cast<const ColumnNode*>(root_.get())) return c->column();
    return std::nullopt;
  }
  bool is_deterministic() const override { return deterministic_; }
  const std::string& text() const override { return text_; }

  ColumnPtr evaluate(const RecordBatch& batch, const std::vector<std::int32_t>* selection, const EvaluationContext& context,
                     std::vector<RowError>& errors) const override {
    std::vector<RowError> own;
    Frame frame = make_frame(batch, context, own);
    const Rows rows = rows_of(batch, selection);
    ColumnPtr column = to_column(root_->evaluate(frame, rows), rows);
    if (!own.empty()) take_errors(own, errors);
    return column;
  }

  void filter(const RecordBatch& batch, const std::vector<std::int32_t>* selection, const EvaluationContext& context,
              std::vector<std::int32_t>& out, std::vector<RowError>& errors) const override {
    std::vector<RowError> own;
    Frame frame = make_frame(batch, context, own);
    const std::size_t before = out.size(), errors_before = errors.size();
    root_->filter(frame, rows_of(batch, selection), out);
    if (own.empty()) return;
    take_errors(own, errors);
    auto e = errors.begin() + static_cast<std::ptrdiff_t>(errors_before);
    const auto failed = [&](std::int32_t row) {
      while (e != errors.end() && e->row < row) ++e;
      return e != errors.end() && e->row == row;
    };
    out.erase(std::remove_if(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(), failed), out.end());
  }

 private:
  static bool is_deterministic(const Node& node) {
    return node.deterministic() && std::all_of(node.operands().begin(), node.operands().end(),
                                               [](const NodePtr& o) { return is_deterministic(*o); });
  }
  Frame make_frame(const RecordBatch& batch, const EvaluationContext& context, std::vector<RowError>& errors) const {
    Frame frame{batch, context, errors, {}, {}, {}};
    for (int i = 0; i < slots_; ++i) frame.slots.emplace_back(Type::boolean());
    return frame;
  }
  static Rows rows_of(const RecordBatch& batch, const std::vector<std::int32_t>* selection) {
    const auto rows = static_cast<std::int32_t>(batch.rows());
    return selection ? Rows::of(rows, *selection) : Rows::all_of(rows);
  }
  /// The first error of each row, by row.
  void take_errors(std::vector<RowError>& own, std::vector<RowError>& errors) const {
    std::stable_sort(own.begin(), own.end(), [](const RowError& a, const RowError& b) { return a.row < b.row; });
    std::int32_t last = -1;
    for (RowError& e : own) {
      if (e.row == last) continue;
      last = e.row;
      e.expression = text_;
      errors.push_back(std::move(e));
    }
  }

  std::string text_;
  NodePtr root_;
  std::vector<int> columns_;
  int slots_;
  bool deterministic_;
};

/// An operand that is used twice complains twice.
void drop_repeated(std::vector<ExpressionError>& errors, std::size_t begin) {
  for (std::size_t i = begin; i < errors.size(); ++i)
    for (std::size_t k = errors.size(); --k > i;)
      if (errors[k].offset == errors[i].offset && errors[k].text == errors[i].text)
        errors.erase(errors.begin() + static_cast<std::ptrdiff_t>(k));
}

}  // namespace

namespace expr {

ExpressionPtr compile(const Syntax& syntax, std::string_view text, const Schema& input, std::vector<ExpressionError>& errors,
                      const Type& literal) {
  const std::size_t before = errors.size();
  Binder binder(input, errors);
  NodePtr root = binder.bind_whole(syntax, literal);
  drop_repeated(errors, before);
  if (!root && errors.size() == before) errors.push_back({0, "the expression cannot be understood", ""});
  if (!root || errors.size() > before) return nullptr;
  return make_expression(text, std::move(root), binder);
}

ExpressionPtr make_expression(std::string_view text, NodePtr root, const Binder& binder) {
  return std::make_shared<Program>(text, std::move(root), binder.columns(), binder.slots());
}

}  // namespace expr

ExpressionPtr Expression::compile(std::string_view text, const Schema& input, std::vector<ExpressionError>& errors,
                                  const Type& literal) {
  const std::optional<Syntax> syntax = parse_syntax(text, errors);
  return syntax ? expr::compile(*syntax, text, input, errors, literal) : nullptr;
}

void check_expression_syntax(std::string_view text, std::vector<ExpressionError>& errors) {
  parse_syntax(text, errors, true);
}

}  // namespace weir
