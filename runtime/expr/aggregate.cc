#include "runtime/expr/aggregate.h"

#include "runtime/base/error.h"

namespace weir {

AggregateCalls::AggregateCalls(const Schema& input, std::vector<Field> groups, bool retracts)
    : input_(input), groups_(static_cast<int>(groups.size())), retracts_(retracts), results_(std::move(groups)) {}

int AggregateCalls::add(AggregateCall call) {
  for (std::size_t i = 0; i < calls_.size(); ++i)
    if (calls_[i].text == call.text) return static_cast<int>(i);
  call.at = row_size_;
  row_size_ += (call.function->size() + 15) / 16 * 16;
  own_memory_ |= call.function->owns_memory();
  std::vector<Field> fields = results_.fields();
  fields.push_back({call.text, call.function->type(), call.function->nullable()});
  results_ = Schema(std::move(fields));
  calls_.push_back(std::move(call));
  return static_cast<int>(calls_.size()) - 1;
}

int AggregateCalls::add_row_count() {
  std::string problem;
  AggregateFunctionPtr count = make_aggregate({.name = "count"}, problem);
  return add({.text = "count(*)", .function = std::move(count), .name = "rows"});
}

std::vector<Field> AggregateCalls::state_fields() const {
  std::vector<Field> fields;
  for (const AggregateCall& call : calls_)
    fields.push_back({call.name.empty() ? call.text : call.name, call.function->state_type()});
  return fields;
}

void AggregateCalls::clear(std::byte* row) const {
  if (own_memory_)
    for (const AggregateCall& call : calls_)
      if (call.function->owns_memory()) call.function->clear(row + call.at);
  std::memset(row, 0, row_size_);
}

void AggregateCalls::copy(std::byte* to, const std::byte* from) const {
  if (!own_memory_) {
    std::memcpy(to, from, row_size_);
    return;
  }
  clear(to);
  for (const AggregateCall& call : calls_) call.function->copy(to + call.at, from + call.at);
}

void AggregateCalls::merge(std::byte* to, const std::byte* from) const {
  for (const AggregateCall& call : calls_) call.function->merge(to + call.at, from + call.at);
}

void AggregateCalls::encode(const std::byte* row, std::string& out) const {
  RowWriter writer(out, calls_.size());
  encode(row, out, writer);
}

void AggregateCalls::encode(const std::byte* row, std::string& out, RowWriter& writer) const {
  for (const AggregateCall& call : calls_) call.function->encode(row + call.at, out, writer);
}

void AggregateCalls::decode(std::byte* row, std::string_view bytes) const {
  clear(row);
  RowReader reader(bytes, calls_.size());
  decode(row, bytes, reader);
}

void AggregateCalls::decode(std::byte* row, std::string_view& in, RowReader& reader) const {
  for (const AggregateCall& call : calls_) call.function->decode(row + call.at, in, reader);
}

std::string AggregateCalls::results(const std::byte* row, std::span<ColumnBuilder> builders) const {
  std::string problem;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    std::string p = calls_[i].function->result(row + calls_[i].at, builders[i]);
    if (!p.empty()) problem = calls_[i].text + ": " + p;
  }
  return problem;
}

void AggregateArguments::evaluate(const RecordBatch& batch, const EvaluationContext& context,
                                  std::vector<RowError>& errors) {
  for (std::size_t i = 0; i < of_call_.size(); ++i) {
    const AggregateCall& call = calls_.calls()[i];
    OfCall& of = of_call_[i];
    of.argument = nullptr;
    of.selected.clear();
    of.next = 0;
    if (call.filter) call.filter->filter(batch, nullptr, context, of.selected, errors);
    if (call.argument) of.argument = call.argument->evaluate(batch, call.filter ? &of.selected : nullptr, context, errors);
  }
}

void AggregateArguments::keep(std::span<const std::int32_t> rows) {
  for (std::size_t i = 0; i < of_call_.size(); ++i) {
    OfCall& of = of_call_[i];
    std::span<const std::int32_t> places = rows;  // of the argument
    if (calls_.calls()[i].filter) {
      places_.clear();
      auto row = rows.begin();
      for (std::size_t place = 0; place < of.selected.size(); ++place) {
        while (row != rows.end() && *row < of.selected[place]) ++row;
        if (row == rows.end() || *row != of.selected[place]) continue;
        of.selected[places_.size()] = static_cast<std::int32_t>(row - rows.begin());
        places_.push_back(static_cast<std::int32_t>(place));
      }
      of.selected.resize(places_.size());
      places = places_;
    }
    if (of.argument) of.argument = take(*of.argument, places);
  }
}

void AggregateArguments::update(std::span<std::byte* const> rows, std::uint64_t sequence) {
  for (std::size_t i = 0; i < of_call_.size(); ++i) {
    const AggregateCall& call = calls_.calls()[i];
    const OfCall& of = of_call_[i];
    if (!call.filter) {
      call.function->update(rows, call.at, of.argument.get(), 0, sequence);
      continue;
    }
    gathered_.clear();
    for (const std::int32_t row : of.selected) gathered_.push_back(rows[static_cast<std::size_t>(row)]);
    if (!gathered_.empty()) call.function->update(gathered_, call.at, of.argument.get(), 0, sequence);
  }
}

void AggregateArguments::update_one(std::int64_t row, std::byte* accumulators, bool retract, std::uint64_t sequence) {
  std::byte* const rows[] = {accumulators};
  for (std::size_t i = 0; i < of_call_.size(); ++i) {
    const AggregateCall& call = calls_.calls()[i];
    OfCall& of = of_call_[i];
    std::int64_t place = row;
    if (call.filter) {
      while (of.next < of.selected.size() && of.selected[of.next] < row) ++of.next;
      if (of.next == of.selected.size() || of.selected[of.next] != row) continue;
      place = static_cast<std::int64_t>(of.next);
    }
    if (retract) call.function->retract(rows, call.at, of.argument.get(), place);
    else call.function->update(rows, call.at, of.argument.get(), place, sequence + static_cast<std::uint64_t>(row));
  }
}

}  // namespace weir
