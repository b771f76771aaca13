#include "runtime/data/key_codec.h"
#include "runtime/data/key_parts.h"
#include "runtime/expr/aggregate/kinds.h"
#include "runtime/expr/program/key_set.h"

namespace weir::expr {
namespace {

/// A value of any type as one RowWriter field, with its arrival number.
struct Arrived {
  std::uint64_t sequence;
  std::string value;
};

std::string bytes_of(const Column& column, std::int64_t row) {
  std::string bytes;
  RowWriter writer(bytes, 1);
  writer.value(column, row);
  return bytes;
}

void append_bytes(std::string_view bytes, ColumnBuilder& out) {
  RowReader reader(bytes, 1);
  reader.value(out);
}

ColumnPtr column_of(const std::string& bytes, const Type& type) {
  ColumnBuilder builder(type);
  append_bytes(bytes, builder);
  return builder.finish();
}

/// first, last and any_value.
class ByArrival final : public AggregateFunction {
 public:
  ByArrival(const Type& type, bool last)
      : AggregateFunction(type, true, Type::row({{"at", Type::bigint(), false}, {"value", type}}), sizeof(Arrived*)),
        last_(last) {}

  void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
              std::uint64_t sequence) const override {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::int64_t row = begin + static_cast<std::int64_t>(k);
      if (!argument->valid(row)) continue;
      Arrived*& s = state_at<Arrived*>(rows[k], at);
      if (!wins(s, sequence + k)) continue;
      if (!s) s = new Arrived;
      s->sequence = sequence + k;
      s->value = bytes_of(*argument, row);
    }
  }
  void merge(std::byte* to, const std::byte* from) const override {
    const Arrived* other = state_at<Arrived*>(from);
    Arrived*& s = state_at<Arrived*>(to);
    if (!other || !wins(s, other->sequence)) return;
    if (!s) s = new Arrived;
    *s = *other;
  }
  void copy(std::byte* to, const std::byte* from) const override {
    const Arrived* other = state_at<Arrived*>(from);
    state_at<Arrived*>(to) = other ? new Arrived(*other) : nullptr;
  }
  void clear(std::byte* state) const override { delete std::exchange(state_at<Arrived*>(state), nullptr); }
  bool owns_memory() const override { return true; }
  std::size_t owned_bytes(const std::byte* state) const override {
    const Arrived* s = state_at<Arrived*>(state);
    return s ? sizeof *s + text_bytes(s->value) : 0;
  }
  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    const Arrived* s = state_at<Arrived*>(state);
    s ? append_bytes(s->value, out) : out.append_null();
    return {};
  }
  void encode(const std::byte* state, std::string& out, RowWriter& writer) const override {
    const Arrived* s = state_at<Arrived*>(state);
    if (!s) return writer.null();
    writer.row();
    RowWriter inner(out, 2);
    inner.integer(static_cast<std::int64_t>(s->sequence));
    inner.value(*column_of(s->value, type()), 0);
  }
  void decode(std::byte* state, std::string_view& in, RowReader& reader) const override {
    if (reader.null()) return;
    auto s = std::make_unique<Arrived>();
    reader.row();
    RowReader inner(in, 2);
    s->sequence = inner.null() ? 0 : static_cast<std::uint64_t>(inner.integer());
    ColumnBuilder value(type());
    inner.value(value);
    s->value = bytes_of(*value.finish(), 0);
    state_at<Arrived*>(state) = s.release();
  }

 private:
  bool wins(const Arrived* there, std::uint64_t sequence) const {
    return !there || (last_ ? sequence >= there->sequence : sequence < there->sequence);
  }
  bool last_;
};

/// Values in order of arrival.
class ArrivedValues {
 public:
  const std::vector<Arrived>& all() const { return all_; }
  std::size_t bytes() const { return sizeof *this + all_.capacity() * sizeof(Arrived) + bytes_; }
  void add(std::uint64_t sequence, std::string value) {
    bytes_ += text_bytes(value);
    all_.push_back({sequence, std::move(value)});
  }
  /// Takes the last of such values away, if there is one.
  void remove(const std::string& value) {
    const auto found = std::find_if(all_.rbegin(), all_.rend(), [&](const Arrived& a) { return a.value == value; });
    if (found == all_.rend()) return;
    bytes_ -= text_bytes(found->value);
    all_.erase(std::next(found).base());
  }
  void merge(const ArrivedValues& other) {
    const auto middle = static_cast<std::ptrdiff_t>(all_.size());
    for (const Arrived& a : other.all_) add(a.sequence, a.value);
    std::inplace_merge(all_.begin(), all_.begin() + middle, all_.end(),
                       [](const Arrived& a, const Arrived& b) { return a.sequence < b.sequence; });
  }

 private:
  std::vector<Arrived> all_;
  std::size_t bytes_ = 0;  ///< of texts
};

/// All values in order of arrival: array_agg (nulls too), string_agg, and first and last where rows may be taken back. Of
/// equal values the last to arrive is taken back first: which of them was meant is not told, and what changes most is what
/// came last.
class Collection final : public AggregateFunction {
 public:
  enum class Result { kArray, kText, kFirst, kLast };
  using Values = ArrivedValues;
  Collection(Result form, Type result, Type element, std::string delimiter = {})
      : AggregateFunction(std::move(result), true,
                          Type::row({{"at", Type::array(Type::bigint())}, {"values", Type::array(element)}}),
                          sizeof(Values*)),
        form_(form),
        element_(std::move(element)),
        delimiter_(std::move(delimiter)) {}

  void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
              std::uint64_t sequence) const override {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::int64_t row = begin + static_cast<std::int64_t>(k);
      if (form_ != Result::kArray && !argument->valid(row)) continue;
      own(state_at<Values*>(rows[k], at)).add(sequence + k, bytes_of(*argument, row));
    }
  }
  void retract(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin) const override {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::int64_t row = begin + static_cast<std::int64_t>(k);
      Values* values = state_at<Values*>(rows[k], at);
      if (!values || (form_ != Result::kArray && !argument->valid(row))) continue;
      values->remove(bytes_of(*argument, row));
      if (values->all().empty()) clear(rows[k] + at);
    }
  }
  void merge(std::byte* to, const std::byte* from) const override {
    if (const Values* other = state_at<Values*>(from)) own(state_at<Values*>(to)).merge(*other);
  }
  void copy(std::byte* to, const std::byte* from) const override {
    const Values* other = state_at<Values*>(from);
    state_at<Values*>(to) = other ? new Values(*other) : nullptr;
  }
  void clear(std::byte* state) const override { delete std::exchange(state_at<Values*>(state), nullptr); }
  bool owns_memory() const override { return true; }
  std::size_t owned_bytes(const std::byte* state) const override {
    const Values* values = state_at<Values*>(state);
    return values ? values->bytes() : 0;
  }

  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    if (!state_at<Values*>(state)) return out.append_null(), "";
    const std::vector<Arrived>& values = state_at<Values*>(state)->all();
    if (form_ == Result::kFirst || form_ == Result::kLast) {
      append_bytes((form_ == Result::kFirst ? values.front() : values.back()).value, out);
      return {};
    }
    if (form_ == Result::kArray) {
      for (const Arrived& v : values) append_bytes(v.value, out.child(0));
      return out.end_list(), "";
    }
    Buffer& text = out.text_buffer();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) text.append(delimiter_.data(), delimiter_.size());
      std::string_view bytes = values[i].value;
      RowReader reader(bytes, 1);
      if (reader.null()) continue;
      const std::string_view piece = reader.text();
      text.append(piece.data(), piece.size());
    }
    return out.end_text(), "";
  }
  void encode(const std::byte* state, std::string& out, RowWriter& writer) const override {
    if (!state_at<Values*>(state)) return writer.null();
    const std::vector<Arrived>& values = state_at<Values*>(state)->all();
    writer.row();
    RowWriter lists(out, 2);
    lists.list(values.size());
    RowWriter order(out, values.size());
    for (const Arrived& v : values) order.integer(static_cast<std::int64_t>(v.sequence));
    ColumnBuilder elements(element_);
    for (const Arrived& v : values) append_bytes(v.value, elements);
    const ColumnPtr column = elements.finish();
    lists.list(values.size());
    RowWriter inner(out, values.size());
    for (std::int64_t i = 0; i < column->size(); ++i) inner.value(*column, i);
  }
  void decode(std::byte* state, std::string_view& in, RowReader& reader) const override {
    if (reader.null()) return;
    reader.row();
    RowReader lists(in, 2);
    const std::size_t size = lists.list();
    RowReader order(in, size);
    std::vector<std::uint64_t> sequences;
    for (std::size_t i = 0; i < size; ++i)
      sequences.push_back(order.null() ? 0 : static_cast<std::uint64_t>(order.integer()));
    RowReader elements(in, lists.list());
    ColumnBuilder builder(element_);
    for (std::size_t i = 0; i < size; ++i) elements.value(builder);
    const ColumnPtr column = builder.finish();
    Values& values = own(state_at<Values*>(state));
    for (std::size_t i = 0; i < size; ++i) values.add(sequences[i], bytes_of(*column, static_cast<std::int64_t>(i)));
  }

 private:
  static Values& own(Values*& values) {
    if (!values) values = new Values;
    return *values;
  }
  Result form_;
  Type element_;
  std::string delimiter_;
};

/// The set of values that an accumulator has seen, with how often each is there, beside an accumulator of the inner
/// function.
class Distinct final : public AggregateFunction {
 public:
  using Values = KeySet;
  Distinct(AggregateFunctionPtr inner, const Type& argument, bool retracts)
      : AggregateFunction(inner->type(), inner->nullable(),
                          retracts ? Type::row({{"values", Type::array(argument)}, {"counts", Type::array(Type::bigint())}})
                                   : Type::array(argument),
                          kInner + inner->size()),
        inner_(std::move(inner)),
        argument_(argument),
        retracts_(retracts) {}

  void update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
              std::uint64_t sequence) const override {
    const ColumnPtr one_form = in_one_form(argument);
    each_key(rows, at, *argument, begin, [&](Values& values, std::string_view key, std::size_t k) {
      if (values.add(key))
        inner_->update(rows.subspan(k, 1), at + kInner, one_form.get(), begin + static_cast<std::int64_t>(k), sequence + k);
    });
  }
  void retract(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin) const override {
    const ColumnPtr one_form = in_one_form(argument);
    each_key(rows, at, *argument, begin, [&](Values& values, std::string_view key, std::size_t k) {
      if (values.remove(key))
        inner_->retract(rows.subspan(k, 1), at + kInner, one_form.get(), begin + static_cast<std::int64_t>(k));
    });
  }
  void merge(std::byte* to, const std::byte* from) const override {
    const Values* other = state_at<Values*>(from);
    if (!other) return;
    Values& values = own(state_at<Values*>(to));
    ColumnBuilder fresh[] = {ColumnBuilder(argument_)};
    other->for_each([&](std::string_view key, std::int64_t count) {
      if (values.add(key, count)) decode_key(key, fresh);
    });
    give(to, *fresh[0].finish());
  }
  void copy(std::byte* to, const std::byte* from) const override {
    const Values* other = state_at<Values*>(from);
    state_at<Values*>(to) = other ? new Values(*other) : nullptr;
    inner_->copy(to + kInner, from + kInner);
  }
  void clear(std::byte* state) const override {
    delete std::exchange(state_at<Values*>(state), nullptr);
    inner_->clear(state + kInner);
  }
  bool owns_memory() const override { return true; }
  std::size_t owned_bytes(const std::byte* state) const override {
    const Values* values = state_at<Values*>(state);
    return (values ? values->bytes() : 0) + inner_->owned_bytes(state + kInner);
  }
  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    return inner_->result(state + kInner, out);
  }

  void encode(const std::byte* state, std::string& out, RowWriter& writer) const override {
    const Values* values = state_at<Values*>(state);
    if (!values) return writer.null();
    ColumnBuilder keys[] = {ColumnBuilder(argument_)};
    values->for_each([&](std::string_view key, std::int64_t) { decode_key(key, keys); });
    const ColumnPtr column = keys[0].finish();
    const auto write = [&](RowWriter& to) {
      to.list(values->size());
      RowWriter elements(out, values->size());
      for (std::int64_t i = 0; i < column->size(); ++i) elements.value(*column, i);
    };
    if (!retracts_) return write(writer);
    writer.row();
    RowWriter lists(out, 2);
    write(lists);
    lists.list(values->size());
    RowWriter counts(out, values->size());
    values->for_each([&](std::string_view, std::int64_t count) { counts.integer(count); });
  }
  void decode(std::byte* state, std::string_view& in, RowReader& reader) const override {
    if (reader.null()) return;
    if (!retracts_) return read_values(state, in, reader.list(), nullptr);
    reader.row();
    RowReader lists(in, 2);
    read_values(state, in, lists.list(), &lists);
  }

 private:
  static constexpr std::size_t kInner = 16;

  Values& own(Values*& values) const {
    if (!values) values = new Values(key_width(argument_), retracts_);
    return *values;
  }
  /// The argument as the set gives its values back, so that it does not matter which of several equal values came first.
  static ColumnPtr in_one_form(const Column* argument) {
    return canonical_column(std::shared_ptr<const Column>(std::shared_ptr<void>(), argument));  // not owned
  }
  /// Hands the rows of a column to the inner accumulator of one row.
  void give(std::byte* row, const Column& column) const {
    const std::vector<std::byte*> rows(static_cast<std::size_t>(column.size()), row);
    if (!rows.empty()) inner_->update(rows, kInner, &column, 0, 0);
  }
  void read_values(std::byte* state, std::string_view& in, std::size_t size, RowReader* lists) const {
    RowReader elements(in, size);
    ColumnBuilder builder(argument_);
    for (std::size_t i = 0; i < size; ++i) elements.value(builder);
    const ColumnPtr column[] = {builder.finish()};
    EncodedKeys keys;
    keys.encode(column, static_cast<std::int64_t>(size));
    Values& values = own(state_at<Values*>(state));
    values.reserve(size);
    std::optional<RowReader> counts;
    if (lists) counts.emplace(in, lists->list());
    for (std::int64_t i = 0; i < keys.size(); ++i) values.add(keys[i], counts ? counts->integer() : 1);
    give(state, *column[0]);
  }
  template <typename F>
  void each_key(std::span<std::byte* const> rows, std::size_t at, const Column& argument, std::int64_t begin, F f) const {
    const EncodedKeys keys = keys_of(argument, begin, rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::int64_t row = begin + static_cast<std::int64_t>(k);
      if (argument.valid(row)) f(own(state_at<Values*>(rows[k], at)), keys[static_cast<std::int64_t>(k)], k);
    }
  }
  AggregateFunctionPtr inner_;
  Type argument_;
  bool retracts_;
};

}  // namespace

AggregateFunctionPtr make_by_arrival(const AggregateRequest& r, bool last) {
  const Type& type = r.argument->type;
  if (!r.retracts) return std::make_shared<ByArrival>(type, last);
  return std::make_shared<Collection>(last ? Collection::Result::kLast : Collection::Result::kFirst, type, type);
}

AggregateFunctionPtr make_collection(const AggregateRequest& r) {
  const Type& type = r.argument->type;
  if (r.name == "array_agg") return std::make_shared<Collection>(Collection::Result::kArray, Type::array(type), type);
  if (type.kind() != TypeKind::kVarchar && type.kind() != TypeKind::kBytea) return nullptr;
  return std::make_shared<Collection>(Collection::Result::kText, type, type, r.delimiter.value_or(""));
}

AggregateFunctionPtr make_distinct(const AggregateRequest& r, AggregateFunctionPtr inner) {
  return std::make_shared<Distinct>(std::move(inner), r.argument->type, r.retracts);
}

}  // namespace weir::expr
