#pragma once
#include <memory>
#include <vector>

#include "runtime/expr/program/frame.h"

namespace weir::expr {

class Node;
using NodePtr = std::unique_ptr<Node>;

/// A step of a program: computes one value for each of some rows of a batch out of the values of its operands. Immutable
/// once built; any thread may run it. What it guards (a branch of CASE, the right side of AND) it runs only on the rows that
/// need it.
class Node {
 public:
  Node(Type type, bool nullable, std::size_t offset) : type_(std::move(type)), nullable_(nullable), offset_(offset) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const Type& type() const { return type_; }
  bool nullable() const { return nullable_; }
  /// Where in the expression's text it stands.
  std::size_t offset() const { return offset_; }
  const std::vector<NodePtr>& operands() const { return operands_; }

  /// Values for `rows`. A row without a value is reported to the frame; its value is then set to something harmless.
  virtual Values evaluate(Frame& frame, const Rows& rows) const = 0;
  /// Appends those of `rows` for which this boolean step is true. By default: evaluates and looks.
  virtual void filter(Frame& frame, const Rows& rows, std::vector<std::int32_t>& out) const;
  /// True if the same operands always give the same value.
  virtual bool deterministic() const { return true; }
  /// True if it can be computed once where all its operands are constants.
  virtual bool foldable() const { return deterministic(); }
  /// The value, if it is a constant: a column of one row.
  virtual ColumnPtr constant() const { return nullptr; }

 protected:
  Type type_;
  bool nullable_;
  std::size_t offset_;
  std::vector<NodePtr> operands_;
};

/// A literal, or what was computed from literals. `unknown`: a plain string or null literal, which takes the type its
/// surroundings ask for.
class ConstantNode final : public Node {
 public:
  ConstantNode(ColumnPtr value, std::size_t offset, bool unknown = false)
      : Node(value->type(), !value->valid(0), offset), value_(std::move(value)), unknown_(unknown) {}
  Values evaluate(Frame&, const Rows&) const override { return Values::of_constant(value_); }
  ColumnPtr constant() const override { return value_; }
  bool unknown() const { return unknown_; }

 private:
  ColumnPtr value_;
  bool unknown_;
};

/// A column of the input.
class ColumnNode final : public Node {
 public:
  ColumnNode(int column, const Field& field, std::size_t offset)
      : Node(field.type, field.nullable, offset), column_(column) {}
  Values evaluate(Frame& frame, const Rows&) const override {
    return Values::of_column(frame.batch.columns()[static_cast<std::size_t>(column_)]);
  }
  bool foldable() const override { return false; }
  int column() const { return column_; }

 private:
  int column_;
};

/// Member `index` of a row value; null where the row is null.
class MemberNode final : public Node {
 public:
  MemberNode(NodePtr row, int index, std::size_t offset);
  Values evaluate(Frame& frame, const Rows& rows) const override;

 private:
  int index_;
};

/// Computes its first operand once and keeps it in a slot of the frame, for the second, which is the result.
class LetNode final : public Node {
 public:
  LetNode(int slot, NodePtr value, NodePtr body);
  Values evaluate(Frame& frame, const Rows& rows) const override;
  void filter(Frame& frame, const Rows& rows, std::vector<std::int32_t>& out) const override;

 private:
  int slot_;
};

/// What a LetNode around it keeps.
class SlotNode final : public Node {
 public:
  SlotNode(int slot, const Type& type, bool nullable, std::size_t offset) : Node(type, nullable, offset), slot_(slot) {}
  Values evaluate(Frame& frame, const Rows&) const override {
    return Values::alias(frame.slots[static_cast<std::size_t>(slot_)]);
  }
  bool foldable() const override { return false; }

 private:
  int slot_;
};

/// If all operands are constants and the step is foldable: its value as a ConstantNode; else the node itself. A step that
/// fails is left alone, since a guard around it may keep it from running; then its reason goes to `failure`, if given.
NodePtr fold(NodePtr node, std::string* failure = nullptr);

NodePtr boolean_constant(bool value, std::size_t offset);
NodePtr null_constant(const Type& type, std::size_t offset);

}  // namespace weir::expr
