#pragma once
#include "runtime/expr/program/kernel.h"
#include "runtime/expr/program/node.h"

namespace weir::expr {

/// How to build a call: the kernel and what is known about it.
struct CallShape {
  Kernel kernel;
  Type type;
  NullRule nulls = NullRule::kStrict;
  bool may_give_null = false;
  bool deterministic = true;
};

/// A call of a kernel on operands that already have the kernel's types; folded if they are constants. If folding failed, the
/// reason goes to `failure`.
NodePtr make_call(const CallShape& shape, std::vector<NodePtr> operands, std::size_t offset, std::string* failure = nullptr);

}  // namespace weir::expr
