#include "runtime/expr/aggregate/sorted_values.h"

namespace weir::expr {

SortedValues::SortedValues(Type result, const Type& element, bool nulls_too)
    : AggregateFunction(std::move(result), true,
                        Type::row({{"values", Type::array(element)}, {"counts", Type::array(Type::bigint())}}),
                        sizeof(Values*)),
      element_(element),
      nulls_too_(nulls_too) {}

void SortedValues::update(std::span<std::byte* const> rows, std::size_t at, const Column* argument, std::int64_t begin,
                          std::uint64_t) const {
  add(rows, at, *argument, begin, 1);
}

void SortedValues::retract(std::span<std::byte* const> rows, std::size_t at, const Column* argument,
                           std::int64_t begin) const {
  add(rows, at, *argument, begin, -1);
}

void SortedValues::add(std::span<std::byte* const> rows, std::size_t at, const Column& argument, std::int64_t begin,
                       std::int64_t count) const {
  const EncodedKeys keys = keys_of(argument, begin, rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto n = static_cast<std::int64_t>(k);
    if (!nulls_too_ && !argument.valid(begin + n)) continue;
    own(state_at<Values*>(rows[k], at)).add(keys[n], count);
  }
}

void SortedValues::merge(std::byte* to, const std::byte* from) const {
  const Values* other = state_at<Values*>(from);
  if (!other) return;
  Values& values = own(state_at<Values*>(to));
  for (const auto& [key, count] : other->map()) values.add(key, count);
}

void SortedValues::copy(std::byte* to, const std::byte* from) const {
  const Values* other = state_at<Values*>(from);
  state_at<Values*>(to) = other ? new Values(*other) : nullptr;
}

ColumnPtr SortedValues::column_of(const Values& values) const {
  ColumnBuilder keys[] = {ColumnBuilder(element_)};
  for (const auto& [key, count] : values.map()) decode_key(key, keys);
  return keys[0].finish();
}

void SortedValues::encode(const std::byte* state, std::string& out, RowWriter& writer) const {
  const Values* values = state_at<Values*>(state);
  if (!values) return writer.null();
  const ColumnPtr column = column_of(*values);
  writer.row();
  RowWriter lists(out, 2);
  lists.list(values->map().size());
  RowWriter elements(out, values->map().size());
  for (std::int64_t i = 0; i < column->size(); ++i) elements.value(*column, i);
  lists.list(values->map().size());
  RowWriter counts(out, values->map().size());
  for (const auto& [key, count] : values->map()) counts.integer(count);
}

void SortedValues::decode(std::byte* state, std::string_view& in, RowReader& reader) const {
  if (reader.null()) return;
  reader.row();
  RowReader lists(in, 2);
  ColumnBuilder keys(element_);
  const std::size_t size = lists.list();
  RowReader elements(in, size);
  for (std::size_t i = 0; i < size; ++i) elements.value(keys);
  EncodedKeys encoded;
  const ColumnPtr column[] = {keys.finish()};
  encoded.encode(column, static_cast<std::int64_t>(size));
  RowReader counts(in, lists.list());
  Values& values = own(state_at<Values*>(state));
  for (std::size_t i = 0; i < size; ++i) values.add(encoded[static_cast<std::int64_t>(i)], counts.integer());
}

SortedValues::Values& SortedValues::own(Values*& values) {
  if (!values) values = new Values;
  return *values;
}

namespace {

/// array_agg and string_agg with distinct: each value once, sorted as PostgreSQL does, which also makes the order one that
/// restores keep.
class SortedCollection final : public SortedValues {
 public:
  SortedCollection(Type result, const Type& element, std::optional<std::string> delimiter)
      : SortedValues(std::move(result), element, !delimiter), delimiter_(std::move(delimiter)) {}

  std::string result(const std::byte* state, ColumnBuilder& out) const override {
    const Values* values = state_at<Values*>(state);
    if (!values || values->map().empty()) return out.append_null(), "";
    const ColumnPtr column = column_of(*values);
    if (!delimiter_) {
      for (std::int64_t i = 0; i < column->size(); ++i) out.child(0).append_from(*column, i);
      return out.end_list(), "";
    }
    Buffer& text = out.text_buffer();
    for (std::int64_t i = 0; i < column->size(); ++i) {
      if (i > 0) text.append(delimiter_->data(), delimiter_->size());
      text.append(column->text(i).data(), column->text(i).size());
    }
    return out.end_text(), "";
  }

 private:
  std::optional<std::string> delimiter_;
};

}  // namespace

AggregateFunctionPtr make_sorted_collection(const AggregateRequest& r) {
  const Type& type = r.argument->type;
  if (r.name == "array_agg") return std::make_shared<SortedCollection>(Type::array(type), type, std::nullopt);
  if (type.kind() != TypeKind::kVarchar && type.kind() != TypeKind::kBytea) return nullptr;
  return std::make_shared<SortedCollection>(type, type, r.delimiter.value_or(""));
}

}  // namespace weir::expr
