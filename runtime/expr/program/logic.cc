#include "runtime/expr/program/logic.h"

#include <algorithm>

namespace weir::expr {

namespace {

bool any_nullable(const std::vector<NodePtr>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const NodePtr& p) { return p->nullable(); });
}

/// and, or: `decisive` is the value of a part that decides the whole.
template <bool decisive>
class JunctionNode final : public Node {
 public:
  JunctionNode(std::vector<NodePtr> parts, std::size_t offset) : Node(Type::boolean(), any_nullable(parts), offset) {
    operands_ = std::move(parts);
  }

  Values evaluate(Frame& frame, const Rows& rows) const override {
    Values out(Type::boolean());
    auto* bytes = out.fresh<std::uint8_t>(rows.batch);
    rows.each([&](std::int32_t i) { bytes[i] = !decisive; });
    std::uint8_t* validity = nullable_ ? out.fresh_validity(rows.batch, true) : nullptr;
    std::vector<std::int32_t> open;  // rows that no part has decided
    Rows now = rows;
    for (std::size_t k = 0; k < operands_.size() && now.count; ++k) {
      const Values v = operands_[k]->evaluate(frame, now);
      const bool last = k + 1 == operands_.size();
      std::vector<std::int32_t> next;
      if (!last) next.reserve(static_cast<std::size_t>(now.count));
      now.each([&](std::int32_t i) {
        if (!v.valid(i)) {
          if (validity) clear_bit(validity, i);
        } else if (v.boolean(i) == decisive) {
          bytes[i] = decisive;
          if (validity) set_bit(validity, i);
          return;
        }
        if (!last) next.push_back(i);
      });
      open = std::move(next);
      now = Rows::of(rows.batch, open);
    }
    return out;
  }

  void filter(Frame& frame, const Rows& rows, std::vector<std::int32_t>& out) const override {
    // Within `or` a part that is null and one that fails are not the same: as a filter it takes what evaluating finds.
    if constexpr (decisive) Node::filter(frame, rows, out);
    else filter_all(frame, rows, out);
  }

 private:
  /// A row stays while every part so far was true: what is null cannot become true any more.
  void filter_all(Frame& frame, const Rows& rows, std::vector<std::int32_t>& out) const {
    std::vector<std::int32_t> open, next;
    Rows now = rows;
    for (std::size_t k = 0; k + 1 < operands_.size(); ++k) {
      next.clear();
      operands_[k]->filter(frame, now, next);
      open.swap(next);
      now = Rows::of(rows.batch, open);
      if (!now.count) return;
    }
    operands_.back()->filter(frame, now, out);
  }
};

class NotNode final : public Node {
 public:
  NotNode(NodePtr part, std::size_t offset) : Node(Type::boolean(), part->nullable(), offset) {
    operands_.push_back(std::move(part));
  }
  Values evaluate(Frame& frame, const Rows& rows) const override {
    const Values v = operands_[0]->evaluate(frame, rows);
    Values out(Type::boolean());
    out.and_validity(v, rows.batch);
    auto* bytes = out.fresh<std::uint8_t>(rows.batch);
    rows.each([&](std::int32_t i) { bytes[i] = !v.boolean(i); });
    return out;
  }
};

class NullTestNode final : public Node {
 public:
  NullTestNode(bool negated, NodePtr part, std::size_t offset) : Node(Type::boolean(), false, offset), negated_(negated) {
    operands_.push_back(std::move(part));
  }
  Values evaluate(Frame& frame, const Rows& rows) const override {
    const Values v = operands_[0]->evaluate(frame, rows);
    Values out(Type::boolean());
    auto* bytes = out.fresh<std::uint8_t>(rows.batch);
    rows.each([&](std::int32_t i) { bytes[i] = v.valid(i) == negated_; });
    return out;
  }

 private:
  bool negated_;
};

class TruthTestNode final : public Node {
 public:
  TruthTestNode(TruthTest test, bool negated, NodePtr part, std::size_t offset)
      : Node(Type::boolean(), false, offset), test_(test), negated_(negated) {
    operands_.push_back(std::move(part));
  }
  Values evaluate(Frame& frame, const Rows& rows) const override {
    const Values v = operands_[0]->evaluate(frame, rows);
    Values out(Type::boolean());
    auto* bytes = out.fresh<std::uint8_t>(rows.batch);
    rows.each([&](std::int32_t i) {
      const bool valid = v.valid(i);
      const bool holds = test_ == TruthTest::kUnknown ? !valid : valid && v.boolean(i) == (test_ == TruthTest::kTrue);
      bytes[i] = holds != negated_;
    });
    return out;
  }
  void filter(Frame& frame, const Rows& rows, std::vector<std::int32_t>& out) const override {
    if (test_ == TruthTest::kTrue && !negated_) operands_[0]->filter(frame, rows, out);
    else Node::filter(frame, rows, out);
  }

 private:
  TruthTest test_;
  bool negated_;
};

/// What a constant says about an and / or around it.
enum class Says { kNothing, kTrue, kFalse };

Says says(const Node& n) {
  const ColumnPtr c = n.constant();
  if (!c || !c->valid(0)) return Says::kNothing;
  return c->boolean(0) ? Says::kTrue : Says::kFalse;
}

/// Leaves out parts that change nothing; parts behind one that decides are never run.
template <bool decisive>
NodePtr make_junction(std::vector<NodePtr> parts, std::size_t offset) {
  std::vector<NodePtr> kept;
  for (NodePtr& p : parts) {
    const Says s = says(*p);
    if (s == (decisive ? Says::kFalse : Says::kTrue)) continue;
    kept.push_back(std::move(p));
    if (s == (decisive ? Says::kTrue : Says::kFalse)) break;
  }
  if (kept.empty()) return boolean_constant(!decisive, offset);
  if (kept.size() == 1) return std::move(kept[0]);
  return fold(std::make_unique<JunctionNode<decisive>>(std::move(kept), offset));
}

}  // namespace

NodePtr make_and(std::vector<NodePtr> parts, std::size_t offset) { return make_junction<false>(std::move(parts), offset); }
NodePtr make_or(std::vector<NodePtr> parts, std::size_t offset) { return make_junction<true>(std::move(parts), offset); }
NodePtr make_not(NodePtr part, std::size_t offset) { return fold(std::make_unique<NotNode>(std::move(part), offset)); }

NodePtr make_null_test(bool negated, NodePtr part, std::size_t offset) {
  return fold(std::make_unique<NullTestNode>(negated, std::move(part), offset));
}

NodePtr make_truth_test(TruthTest test, bool negated, NodePtr part, std::size_t offset) {
  return fold(std::make_unique<TruthTestNode>(test, negated, std::move(part), offset));
}

}  // namespace weir::expr
