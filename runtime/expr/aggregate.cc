#include "runtime/expr/aggregate.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "runtime/base/error.h"

namespace weir {

AggregateCalls::AggregateCalls(const Schema& input, std::vector<Field> groups, bool retracts, bool values_apart)
    : input_(input),
      groups_(static_cast<int>(groups.size())),
      retracts_(retracts),
      values_apart_(values_apart),
      results_(std::move(groups)) {}

int AggregateCalls::add_to_set(AggregateCall call, std::string argument) {
  const auto room = [&](const DistinctSet& s) { return s.text == argument && s.calls.size() < DistinctSet::kMostCalls; };
  auto set = std::find_if(distinct_sets_.begin(), distinct_sets_.end(), room);
  const bool is_new = set == distinct_sets_.end();
  if (is_new) set = distinct_sets_.insert(set, {std::move(argument), call.argument, {}});
  call.distinct_set = static_cast<int>(set - distinct_sets_.begin());
  call.member = static_cast<int>(set->calls.size());
  const std::size_t before = calls_.size();
  const int number = add(std::move(call));
  if (calls_.size() > before) set->calls.push_back(number);
  return number;
}

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
    if (call.argument && call.distinct_set < 0)
      of.argument = call.argument->evaluate(batch, call.filter ? &of.selected : nullptr, context, errors);
  }
  evaluate_sets(batch, context, errors);
}

/// The argument of a set is evaluated for rows that one of its calls takes: a filter guards it.
void AggregateArguments::evaluate_sets(const RecordBatch& batch, const EvaluationContext& context,
                                       std::vector<RowError>& errors) {
  for (std::size_t s = 0; s < of_set_.size(); ++s) {
    const DistinctSet& set = calls_.distinct_sets()[s];
    OfSet& of = of_set_[s];
    of.all = false;
    of.selected.clear();
    for (const int call : set.calls) {
      const std::vector<std::int32_t>& more = of_call_[static_cast<std::size_t>(call)].selected;
      of.all = of.all || !calls_.calls()[static_cast<std::size_t>(call)].filter;
      if (of.all) break;
      places_.clear();
      std::set_union(of.selected.begin(), of.selected.end(), more.begin(), more.end(), std::back_inserter(places_));
      of.selected.swap(places_);
    }
    of.argument = canonical_column(set.argument->evaluate(batch, of.all ? nullptr : &of.selected, context, errors));
  }
}

void AggregateArguments::keep(std::span<const std::int32_t> rows) {
  for (std::size_t i = 0; i < of_call_.size(); ++i) {
    OfCall& of = of_call_[i];
    const auto places = calls_.calls()[i].filter ? keep_selected(of.selected, rows) : rows;
    if (of.argument) of.argument = take(*of.argument, places);
  }
  for (OfSet& of : of_set_) of.argument = take(*of.argument, of.all ? rows : keep_selected(of.selected, rows));
}

/// Takes the other rows out of `selected`. Returns the places that stay.
std::span<const std::int32_t> AggregateArguments::keep_selected(std::vector<std::int32_t>& selected,
                                                                std::span<const std::int32_t> rows) {
  places_.clear();
  auto row = rows.begin();
  for (std::size_t place = 0; place < selected.size(); ++place) {
    while (row != rows.end() && *row < selected[place]) ++row;
    if (row == rows.end() || *row != selected[place]) continue;
    selected[places_.size()] = static_cast<std::int32_t>(row - rows.begin());
    places_.push_back(static_cast<std::int32_t>(place));
  }
  selected.resize(places_.size());
  return places_;
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

std::optional<std::int64_t> AggregateArguments::place_of(std::int64_t row, const std::vector<std::int32_t>& selected,
                                                         std::size_t& next) {
  while (next < selected.size() && selected[next] < row) ++next;
  return next < selected.size() && selected[next] == row ? std::optional(static_cast<std::int64_t>(next)) : std::nullopt;
}

void AggregateArguments::update_one(std::int64_t row, std::byte* accumulators, bool retract, std::uint64_t sequence) {
  std::byte* const rows[] = {accumulators};
  for (std::size_t i = 0; i < of_call_.size(); ++i) {
    const AggregateCall& call = calls_.calls()[i];
    if (call.distinct_set >= 0) continue;
    OfCall& of = of_call_[i];
    const std::optional<std::int64_t> place = call.filter ? place_of(row, of.selected, of.next) : row;
    if (!place) continue;
    if (retract) call.function->retract(rows, call.at, of.argument.get(), *place);
    else call.function->update(rows, call.at, of.argument.get(), *place, sequence + static_cast<std::uint64_t>(row));
  }
}

void AggregateArguments::begin_set(std::size_t set) {
  OfSet& of = of_set_[set];
  of.next = 0;
  for (const int call : calls_.distinct_sets()[set].calls) of_call_[static_cast<std::size_t>(call)].next = 0;
  of.keys.encode(std::span(&of.argument, 1), of.argument->size());
}

AggregateArguments::DistinctValue AggregateArguments::distinct_value(std::size_t set, std::int64_t row) {
  OfSet& of = of_set_[set];
  const std::optional<std::int64_t> place = of.all ? row : place_of(row, of.selected, of.next);
  if (!place || !of.argument->valid(*place)) return {};
  DistinctValue value{of.keys[*place], 0, *place};
  std::uint64_t bit = 1;
  for (const int call : calls_.distinct_sets()[set].calls) {
    OfCall& of_call = of_call_[static_cast<std::size_t>(call)];
    const bool takes =
        !calls_.calls()[static_cast<std::size_t>(call)].filter || place_of(row, of_call.selected, of_call.next);
    value.members |= takes ? bit : 0;
    bit <<= 1;
  }
  return value;
}

void AggregateArguments::update_members(std::size_t set, std::uint64_t members, std::int64_t place, std::byte* accumulators,
                                        bool retract) {
  std::byte* const rows[] = {accumulators};
  const OfSet& of = of_set_[set];
  for (; members != 0; members &= members - 1) {
    const int number = calls_.distinct_sets()[set].calls[static_cast<std::size_t>(std::countr_zero(members))];
    const AggregateCall& call = calls_.calls()[static_cast<std::size_t>(number)];
    if (retract) call.function->retract(rows, call.at, of.argument.get(), place);
    else call.function->update(rows, call.at, of.argument.get(), place, 0);
  }
}

}  // namespace weir
