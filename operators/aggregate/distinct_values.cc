#include "operators/aggregate/distinct_values.h"

#include <bit>

namespace weir {
namespace {

std::string table_name(std::size_t set) { return fmt::format("distinct{}", set + 1); }

/// Calls `f(member, its bit)`.
template <typename F>
void each_member(std::uint64_t members, F&& f) {
  for (; members != 0; members &= members - 1)
    f(static_cast<std::size_t>(std::countr_zero(members)), members & (~members + 1));
}

}  // namespace

std::uint64_t DistinctCounts::unseen(StateSlot slot, std::uint64_t members) const {
  if (!retracts_) return members & ~bits(slot);
  std::uint64_t found = 0;
  each_member(members, [&](std::size_t m, std::uint64_t bit) { found |= counts(slot)[m] == 0 ? bit : 0; });
  return found;
}

std::uint64_t DistinctCounts::add(StateSlot slot, std::uint64_t members) {
  const std::uint64_t fresh = unseen(slot, members);
  if (!retracts_) bits(slot) |= members;
  else each_member(members, [&](std::size_t m, std::uint64_t) { ++counts(slot)[m]; });
  return fresh;
}

std::uint64_t DistinctCounts::remove(StateSlot slot, std::uint64_t members) {
  std::uint64_t gone = 0;
  each_member(members, [&](std::size_t m, std::uint64_t bit) {
    std::int64_t& count = counts(slot)[m];
    if (count > 0 && --count == 0) gone |= bit;
  });
  return gone;
}

bool DistinctCounts::empty(StateSlot slot) const {
  if (!retracts_) return bits(slot) == 0;
  return std::all_of(counts(slot), counts(slot) + members_, [](std::int64_t n) { return n == 0; });
}

void DistinctCounts::encode(StateSlot slot, std::string& out) const {
  RowWriter writer(out, members_);
  for (std::size_t m = 0; m < members_; ++m) {
    const std::int64_t n = retracts_ ? counts(slot)[m] : static_cast<std::int64_t>(bits(slot) >> m & 1);
    if (n == 0) writer.null();
    else if (retracts_) writer.integer(n);
    else writer.boolean(true);
  }
}

void DistinctCounts::decode(StateSlot slot, std::string_view bytes) {
  reset(slot);
  RowReader reader(bytes, members_);
  for (std::size_t m = 0; m < members_; ++m) {
    if (reader.null()) continue;
    if (retracts_) counts(slot)[m] = reader.integer();
    else bits(slot) |= std::uint64_t{reader.boolean()} << m;
  }
}

DistinctValues::Set::Set(const AggregatePlan& plan, KeyedState& state, std::size_t number)
    : counts(plan.calls->distinct_sets()[number].calls.size(), plan.calls->retracts()),
      table(state, table_name(number), counts,
            DistinctCounts::value_bytes(plan.calls->distinct_sets()[number].calls.size(), plan.calls->retracts())) {}

DistinctValues::DistinctValues(const AggregatePlan& plan, KeyedState& state) : retracts_(plan.calls->retracts()) {
  for (std::size_t i = 0; i < plan.calls->distinct_sets().size(); ++i) sets_.emplace_back(plan, state, i);
}

std::vector<TableDeclaration> DistinctValues::tables(const AggregatePlan& plan) {
  std::vector<TableDeclaration> tables;
  const Type type = plan.calls->retracts() ? Type::bigint() : Type::boolean();
  for (const DistinctSet& set : plan.calls->distinct_sets()) {
    const std::optional<int> column = set.argument->as_column();
    std::string name = column ? (*plan.input)[*column].name : "value";
    if (plan.by.has(name)) name = "value";
    TableDeclaration table{table_name(tables.size()), {}, {{name, set.argument->type()}}, {}};
    for (const int call : set.calls) {
      const AggregateCall& of = plan.calls->calls()[static_cast<std::size_t>(call)];
      table.value.push_back({of.name.empty() ? of.text : of.name, type});
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

void DistinctValues::begin(const BatchKeys& groups, AggregateArguments& arguments, std::int64_t rows) {
  arguments_ = &arguments;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    Set& set = sets_[s];
    set.keys.clear();
    set.ends.clear();
    set.members.clear();
    set.hashes.clear();
    set.places.clear();
    arguments.each_distinct(s, rows, [&](std::int64_t row, const AggregateArguments::DistinctValue& value) {
      const std::size_t begin = set.keys.size();
      if (value.members != 0) set.keys.append(groups[row]).append(value.key);
      set.ends.push_back(set.keys.size());
      set.members.push_back(value.members);
      set.places.push_back(value.place);
      set.hashes.push_back(hash_in_group(key_hash(std::string_view(set.keys).substr(begin)), key_group(groups.hash(row))));
    });
  }
}

void DistinctValues::update(std::int64_t row, std::string_view window, std::byte* accumulators, bool retract) {
  for (std::size_t s = 0; s < sets_.size(); ++s) update_set(s, static_cast<std::size_t>(row), window, accumulators, retract);
}

void DistinctValues::update_set(std::size_t number, std::size_t row, std::string_view window, std::byte* accumulators,
                                bool retract) {
  Set& set = sets_[number];
  StateTable& table = *set.table;
  set.table.look_ahead(window, set.hashes, static_cast<std::int64_t>(row), set.counts);
  const std::uint64_t members = set.members[row], hash = set.hashes[row];
  if (members == 0) return;
  const std::string_view key = set.key(row);
  const StateSlot* const there = table.find(window, key, hash);
  if (retract && !there) return;
  // Most values are known: then nothing changes where nothing is counted.
  if (!retracts_ && there && set.counts.unseen(*there, members) == 0) return;
  const StateSlot slot = table.touch(window, key, hash).slot;
  const std::uint64_t changed = retract ? set.counts.remove(slot, members) : set.counts.add(slot, members);
  if (changed != 0) arguments_->update_members(number, changed, set.places[row], accumulators, retract);
  if (retract && set.counts.empty(slot)) table.erase(window, key, hash);
}

void DistinctValues::drop_through(std::string_view window) {
  for (Set& set : sets_)
    while (const std::optional<std::string> first = set.table->first_window()) {
      if (*first > window) break;
      set.table->drop(*first);
    }
}

}  // namespace weir
