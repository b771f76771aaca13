#include "runtime/expr/program/node.h"

namespace weir::expr {

void Node::filter(Frame& frame, const Rows& rows, std::vector<std::int32_t>& out) const {
  const Values v = evaluate(frame, rows);
  if (v.constant()) {
    if (v.valid(0) && v.boolean(0)) rows.each([&](std::int32_t i) { out.push_back(i); });
    return;
  }
  const std::size_t before = out.size();
  out.resize(before + static_cast<std::size_t>(rows.count));
  std::int32_t* to = out.data() + before;
  const std::uint8_t* values = v.data<std::uint8_t>();
  if (!v.validity()) {
    rows.each([&](std::int32_t i) { *to = i, to += values[i]; });
  } else {
    rows.each([&](std::int32_t i) { *to = i, to += values[i] & static_cast<std::uint8_t>(get_bit(v.validity(), i)); });
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
}

namespace {

Type member_type(const Node& row, int index) { return row.type().children()[static_cast<std::size_t>(index)].type; }

}  // namespace

MemberNode::MemberNode(NodePtr row, int index, std::size_t offset)
    : Node(member_type(*row, index), row->nullable() || row->type().children()[static_cast<std::size_t>(index)].nullable,
           offset),
      index_(index) {
  operands_.push_back(std::move(row));
}

Values MemberNode::evaluate(Frame& frame, const Rows& rows) const {
  Values row = operands_[0]->evaluate(frame, rows);
  const auto member = static_cast<std::size_t>(index_);
  if (row.column() && !row.constant()) {
    Values out = Values::of_column(row.column()->children()[member]);
    out.and_validity(row, rows.batch);
    return out;
  }
  ColumnBuilder b(type_);
  std::int32_t filled = 0;
  rows.each([&](std::int32_t i) {
    for (; filled < i; ++filled) b.append_null();
    const ValueRef r = row.ref(i);
    row.valid(i) && r.column ? b.append_from(*r.column->children()[member], r.row) : b.append_null();
    ++filled;
  });
  for (; filled < rows.batch; ++filled) b.append_null();
  return Values::of_column(b.finish());
}

LetNode::LetNode(int slot, NodePtr value, NodePtr body) : Node(body->type(), body->nullable(), body->offset()), slot_(slot) {
  operands_.push_back(std::move(value));
  operands_.push_back(std::move(body));
}

Values LetNode::evaluate(Frame& frame, const Rows& rows) const {
  frame.slots[static_cast<std::size_t>(slot_)] = operands_[0]->evaluate(frame, rows);
  return operands_[1]->evaluate(frame, rows);
}

void LetNode::filter(Frame& frame, const Rows& rows, std::vector<std::int32_t>& out) const {
  frame.slots[static_cast<std::size_t>(slot_)] = operands_[0]->evaluate(frame, rows);
  operands_[1]->filter(frame, rows, out);
}

NodePtr fold(NodePtr node, std::string* failure) {
  if (!node->foldable() || node->constant()) return node;
  for (const NodePtr& o : node->operands())
    if (!o->constant()) return node;
  static const RecordBatch kOneRow(nullptr, {}, 1);
  static const EvaluationContext kNoContext{};
  std::vector<RowError> errors;
  Frame frame{kOneRow, kNoContext, errors, {}, {}, {}};
  ColumnPtr value = to_column(node->evaluate(frame, Rows::all_of(1)), Rows::all_of(1));
  if (!errors.empty()) {
    if (failure) *failure = errors[0].reason;
    return node;
  }
  return std::make_unique<ConstantNode>(std::move(value), node->offset());
}

NodePtr boolean_constant(bool value, std::size_t offset) {
  ColumnBuilder b(Type::boolean());
  b.append_boolean(value);
  return std::make_unique<ConstantNode>(b.finish(), offset);
}

NodePtr null_constant(const Type& type, std::size_t offset) {
  return std::make_unique<ConstantNode>(null_column(type, 1), offset);
}

}  // namespace weir::expr
