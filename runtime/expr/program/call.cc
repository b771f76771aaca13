#include "runtime/expr/program/call.h"

#include <algorithm>

namespace weir::expr {

namespace {

bool may_be_null(const CallShape& shape, const std::vector<NodePtr>& operands) {
  if (shape.may_give_null) return true;
  if (shape.nulls == NullRule::kCustom) return false;
  return std::any_of(operands.begin(), operands.end(), [](const NodePtr& o) { return o->nullable(); });
}

class CallNode final : public Node {
 public:
  CallNode(const CallShape& shape, std::vector<NodePtr> operands, std::size_t offset)
      : Node(shape.type, may_be_null(shape, operands), offset),
        kernel_(shape.kernel),
        nulls_(shape.nulls),
        deterministic_(shape.deterministic) {
    operands_ = std::move(operands);
  }

  Values evaluate(Frame& frame, const Rows& rows) const override {
    std::vector<Values> arguments;
    arguments.reserve(operands_.size());
    for (const NodePtr& o : operands_) arguments.push_back(o->evaluate(frame, rows));
    Values out(type_);
    if (nulls_ == NullRule::kStrict)
      for (const Values& a : arguments) out.and_validity(a, rows.batch);
    kernel_({frame, rows, arguments, out, offset_});
    for (const Values& a : arguments)
      if (a.column()) frame.kept.push_back(a.column());
    return out;
  }
  bool deterministic() const override { return deterministic_; }

 private:
  Kernel kernel_;
  NullRule nulls_;
  bool deterministic_;
};

}  // namespace

NodePtr make_call(const CallShape& shape, std::vector<NodePtr> operands, std::size_t offset, std::string* failure) {
  if (shape.nulls == NullRule::kStrict && shape.deterministic)
    for (const NodePtr& o : operands)
      if (const ColumnPtr c = o->constant(); c && !c->valid(0)) return null_constant(shape.type, offset);
  return fold(std::make_unique<CallNode>(shape, std::move(operands), offset), failure);
}

}  // namespace weir::expr
