#include "runtime/expr/program/choice.h"

#include <algorithm>

#include "runtime/expr/program/order.h"

namespace weir::expr {

namespace {

/// Collects values of one type from several Values, each for some rows of the batch.
class Merger {
 public:
  Merger(Frame& frame, const Type& type, std::int32_t batch, bool nullable) : frame_(frame), out_(type) {
    if (nullable) validity_ = out_.fresh_validity(batch, false);
    switch (type.kind()) {
      case TypeKind::kBoolean: out_.fresh<std::uint8_t>(batch); break;
      case TypeKind::kInt:
      case TypeKind::kDate: out_.fresh<std::int32_t>(batch); break;
      case TypeKind::kBigint:
      case TypeKind::kTimestamp:
      case TypeKind::kDouble: out_.fresh<std::int64_t>(batch); break;
      case TypeKind::kDecimal:
      case TypeKind::kInterval: out_.fresh<Int128>(batch); break;
      case TypeKind::kVarchar:
      case TypeKind::kBytea:
      case TypeKind::kJson: out_.fresh<std::string_view>(batch); break;
      default: out_.fresh<ValueRef>(batch);
    }
  }

  /// Takes the values of `rows`.
  void take(const Values& v, const Rows& rows) {
    switch (out_.type().kind()) {
      case TypeKind::kBoolean: copy<std::uint8_t>(v, rows); break;
      case TypeKind::kInt:
      case TypeKind::kDate: copy<std::int32_t>(v, rows); break;
      case TypeKind::kBigint:
      case TypeKind::kTimestamp:
      case TypeKind::kDouble: copy<std::int64_t>(v, rows); break;
      case TypeKind::kDecimal:
      case TypeKind::kInterval: copy<Int128>(v, rows); break;
      case TypeKind::kVarchar:
      case TypeKind::kBytea:
      case TypeKind::kJson: write<std::string_view>(rows, [&](std::int32_t i) { return v.text(i); }); break;
      default: write<ValueRef>(rows, [&](std::int32_t i) { return v.ref(i); });
    }
    if (validity_)
      rows.each([&](std::int32_t i) {
        if (v.valid(i)) set_bit(validity_, i);
      });
    if (v.column()) frame_.kept.push_back(v.column());  // texts and nested values point into it
  }

  /// Gives `rows` a null.
  void take_nulls(const Rows& rows) {
    switch (out_.type().kind()) {
      case TypeKind::kBoolean: return write<std::uint8_t>(rows, [](std::int32_t) { return std::uint8_t{0}; });
      case TypeKind::kInt:
      case TypeKind::kDate: return write<std::int32_t>(rows, [](std::int32_t) { return 0; });
      case TypeKind::kBigint:
      case TypeKind::kTimestamp:
      case TypeKind::kDouble: return write<std::int64_t>(rows, [](std::int32_t) { return std::int64_t{0}; });
      case TypeKind::kDecimal:
      case TypeKind::kInterval: return write<Int128>(rows, [](std::int32_t) { return Int128{0}; });
      case TypeKind::kVarchar:
      case TypeKind::kBytea:
      case TypeKind::kJson: return write<std::string_view>(rows, [](std::int32_t) { return std::string_view("", 0); });
      default: return write<ValueRef>(rows, [](std::int32_t) { return ValueRef{}; });
    }
  }

  Values finish() { return std::move(out_); }

 private:
  template <typename T>
  T* values() {
    return const_cast<T*>(out_.data<T>());
  }
  template <typename T>
  void copy(const Values& v, const Rows& rows) {
    if (v.constant()) write<T>(rows, [x = v.value<T>(0)](std::int32_t) { return x; });
    else write<T>(rows, [from = v.data<T>()](std::int32_t i) { return from[i]; });
  }
  template <typename T, typename F>
  void write(const Rows& rows, F f) {
    T* to = values<T>();
    rows.each([&](std::int32_t i) { to[i] = f(i); });
  }

  Frame& frame_;
  Values out_;
  std::uint8_t* validity_ = nullptr;
};

/// The rows of `rows` that are not among `taken`; both ascending.
std::vector<std::int32_t> without(const Rows& rows, const std::vector<std::int32_t>& taken) {
  std::vector<std::int32_t> rest;
  rest.reserve(static_cast<std::size_t>(rows.count) - taken.size());
  auto t = taken.begin();
  rows.each([&](std::int32_t i) {
    if (t != taken.end() && *t == i) ++t;
    else rest.push_back(i);
  });
  return rest;
}

bool any_nullable(const std::vector<NodePtr>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const NodePtr& p) { return p->nullable(); });
}

/// Operands: condition, result, condition, result, ..., otherwise.
class CaseNode final : public Node {
 public:
  CaseNode(const Type& type, bool nullable, std::vector<NodePtr> parts, std::size_t offset) : Node(type, nullable, offset) {
    operands_ = std::move(parts);
  }

  Values evaluate(Frame& frame, const Rows& rows) const override {
    Merger merger(frame, type_, rows.batch, nullable_);
    std::vector<std::int32_t> open, chosen;
    Rows now = rows;
    for (std::size_t k = 0; k + 1 < operands_.size() && now.count; k += 2) {
      chosen.clear();
      operands_[k]->filter(frame, now, chosen);
      if (chosen.empty()) continue;
      const Rows here = Rows::of(rows.batch, chosen);
      merger.take(operands_[k + 1]->evaluate(frame, here), here);
      open = without(now, chosen);
      now = Rows::of(rows.batch, open);
    }
    if (now.count) merger.take(operands_.back()->evaluate(frame, now), now);
    return merger.finish();
  }
};

class CoalesceNode final : public Node {
 public:
  CoalesceNode(std::vector<NodePtr> parts, std::size_t offset)
      : Node(parts[0]->type(), std::all_of(parts.begin(), parts.end(), [](const NodePtr& p) { return p->nullable(); }),
             offset) {
    operands_ = std::move(parts);
  }

  Values evaluate(Frame& frame, const Rows& rows) const override {
    Values first = operands_[0]->evaluate(frame, rows);
    if (!first.validity()) return first;
    Merger merger(frame, type_, rows.batch, nullable_);
    std::vector<std::int32_t> open = nulls_of(first, rows);
    if (open.empty()) return first;
    merger.take(first, rows);
    for (std::size_t k = 1; k < operands_.size() && !open.empty(); ++k) {
      const Rows now = Rows::of(rows.batch, open);
      Values v = operands_[k]->evaluate(frame, now);
      std::vector<std::int32_t> next = nulls_of(v, now);
      merger.take(v, now);
      open = std::move(next);
    }
    return merger.finish();
  }

 private:
  static std::vector<std::int32_t> nulls_of(const Values& v, const Rows& rows) {
    std::vector<std::int32_t> nulls;
    if (v.validity())
      rows.each([&](std::int32_t i) {
        if (!v.valid(i)) nulls.push_back(i);
      });
    return nulls;
  }
};

class ExtremeNode final : public Node {
 public:
  ExtremeNode(bool greatest, std::vector<NodePtr> parts, std::size_t offset)
      : Node(parts[0]->type(), std::all_of(parts.begin(), parts.end(), [](const NodePtr& p) { return p->nullable(); }),
             offset),
        greatest_(greatest) {
    operands_ = std::move(parts);
  }

  Values evaluate(Frame& frame, const Rows& rows) const override {
    std::vector<Values> parts;
    for (const NodePtr& p : operands_) parts.push_back(p->evaluate(frame, rows));
    std::vector<std::vector<std::int32_t>> winners(parts.size());
    std::vector<std::int32_t> none;
    rows.each([&](std::int32_t i) {
      std::size_t best = parts.size();
      for (std::size_t k = 0; k < parts.size(); ++k)
        if (parts[k].valid(i) && (best == parts.size() || better(parts[k], parts[best], i))) best = k;
      (best == parts.size() ? none : winners[best]).push_back(i);
    });
    Merger merger(frame, type_, rows.batch, nullable_);
    for (std::size_t k = 0; k < parts.size(); ++k) merger.take(parts[k], Rows::of(rows.batch, winners[k]));
    merger.take_nulls(Rows::of(rows.batch, none));
    return merger.finish();
  }

 private:
  bool better(const Values& a, const Values& b, std::int32_t i) const { return greatest_ ? less(b, a, i) : less(a, b, i); }
  bool less(const Values& a, const Values& b, std::int32_t i) const {
    const Less op;
    switch (type_.kind()) {
      case TypeKind::kBoolean: return op(a.value<std::uint8_t>(i), b.value<std::uint8_t>(i));
      case TypeKind::kInt:
      case TypeKind::kDate: return op(a.value<std::int32_t>(i), b.value<std::int32_t>(i));
      case TypeKind::kBigint:
      case TypeKind::kTimestamp: return op(a.value<std::int64_t>(i), b.value<std::int64_t>(i));
      case TypeKind::kDouble: return op(a.value<double>(i), b.value<double>(i));
      case TypeKind::kDecimal: return op(a.value<Int128>(i), b.value<Int128>(i));
      case TypeKind::kInterval: return interval_length(a.value<Interval>(i)) < interval_length(b.value<Interval>(i));
      default: return op(a.text(i), b.text(i));
    }
  }
  bool greatest_;
};

/// The members of an `in (...)` list as one set per kind of layout.
template <typename T>
struct SmallSet {
  std::vector<T> sorted;
  bool contains(T v) const {
    if (sorted.size() > 16) return std::binary_search(sorted.begin(), sorted.end(), v);
    bool found = false;
    for (const T& s : sorted) found |= s == v;
    return found;
  }
};
template <>
struct SmallSet<std::string_view> {
  std::vector<std::string_view> sorted;
  bool contains(std::string_view v) const {
    if (sorted.size() > 8) return std::binary_search(sorted.begin(), sorted.end(), v);
    for (const std::string_view s : sorted)
      if (s == v) return true;
    return false;
  }
};

template <typename T>
class InSetNode final : public Node {
 public:
  /// `constants` stay operands, since texts point into them.
  InSetNode(NodePtr value, std::vector<NodePtr> constants, std::size_t offset)
      : Node(Type::boolean(), value->nullable() || any_nullable(constants), offset) {
    operands_.push_back(std::move(value));
    for (NodePtr& c : constants) {
      const ColumnPtr column = c->constant();
      if (!column->valid(0)) has_null_ = true;
      else if constexpr (std::is_same_v<T, std::string_view>) set_.sorted.push_back(column->text(0));
      else set_.sorted.push_back(column->values<T>()[0]);
      operands_.push_back(std::move(c));
    }
    std::sort(set_.sorted.begin(), set_.sorted.end());
  }

  Values evaluate(Frame& frame, const Rows& rows) const override {
    const Values v = operands_[0]->evaluate(frame, rows);
    Values out(Type::boolean());
    out.and_validity(v, rows.batch);
    auto* bytes = out.fresh<std::uint8_t>(rows.batch);
    rows.each([&](std::int32_t i) {
      if constexpr (std::is_same_v<T, std::string_view>) bytes[i] = set_.contains(v.text(i));
      else bytes[i] = set_.contains(v.template value<T>(i));
    });
    if (has_null_) {  // not found among the others: unknown
      Values found(Type::boolean());
      std::uint8_t* bits = found.fresh_validity(rows.batch, true);
      rows.each([&](std::int32_t i) {
        if (!bytes[i]) clear_bit(bits, i);
      });
      out.and_validity(found, rows.batch);
    }
    return out;
  }

 private:
  SmallSet<T> set_;
  bool has_null_ = false;
};

}  // namespace

NodePtr make_case(std::vector<NodePtr> conditions, std::vector<NodePtr> results, NodePtr otherwise, std::size_t offset) {
  const Type type = results[0]->type();
  if (!otherwise) otherwise = null_constant(type, offset);
  std::vector<NodePtr> parts;
  for (std::size_t k = 0; k < conditions.size(); ++k) {
    const ColumnPtr c = conditions[k]->constant();
    if (c && !(c->valid(0) && c->boolean(0))) continue;
    if (c) {  // always true: nothing behind it is reached
      otherwise = std::move(results[k]);
      break;
    }
    parts.push_back(std::move(conditions[k]));
    parts.push_back(std::move(results[k]));
  }
  if (parts.empty()) return otherwise;
  bool nullable = otherwise->nullable();
  for (std::size_t k = 1; k < parts.size(); k += 2) nullable |= parts[k]->nullable();
  parts.push_back(std::move(otherwise));
  return std::make_unique<CaseNode>(type, nullable, std::move(parts), offset);
}

NodePtr make_coalesce(std::vector<NodePtr> parts, std::size_t offset) {
  std::vector<NodePtr> kept;
  for (NodePtr& p : parts) {
    const ColumnPtr c = p->constant();
    if (c && !c->valid(0) && (kept.size() || &p != &parts.back())) continue;
    const bool stops = !p->nullable();
    kept.push_back(std::move(p));
    if (stops) break;
  }
  if (kept.size() == 1) return std::move(kept[0]);
  return std::make_unique<CoalesceNode>(std::move(kept), offset);
}

NodePtr make_extreme(bool greatest, std::vector<NodePtr> parts, std::size_t offset) {
  if (parts.size() == 1) return std::move(parts[0]);
  return fold(std::make_unique<ExtremeNode>(greatest, std::move(parts), offset));
}

bool can_be_in_set(const Type& t) {
  switch (t.kind()) {
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kBigint:
    case TypeKind::kTimestamp:
    case TypeKind::kVarchar:
    case TypeKind::kBytea: return true;
    default: return false;
  }
}

NodePtr make_in_set(NodePtr value, std::vector<NodePtr> constants, std::size_t offset) {
  switch (value->type().kind()) {
    case TypeKind::kInt:
    case TypeKind::kDate:
      return fold(std::make_unique<InSetNode<std::int32_t>>(std::move(value), std::move(constants), offset));
    case TypeKind::kBigint:
    case TypeKind::kTimestamp:
      return fold(std::make_unique<InSetNode<std::int64_t>>(std::move(value), std::move(constants), offset));
    case TypeKind::kVarchar:
    case TypeKind::kBytea:
      return fold(std::make_unique<InSetNode<std::string_view>>(std::move(value), std::move(constants), offset));
    default: return nullptr;
  }
}

}  // namespace weir::expr
