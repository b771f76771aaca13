#include "operators/aggregate/slice_merge.h"

namespace weir {

void SliceMerge::clear() {
  sources_.clear();
  valid_ = false;
}

void SliceMerge::add(std::unique_ptr<GroupCursor> cursor) {
  if (cursor->valid()) sources_.push_back({std::move(cursor), sources_.size()});
}

bool SliceMerge::later(const Source& a, const Source& b) {
  const GroupCursor &x = *a.cursor, &y = *b.cursor;
  if (x.group() != y.group()) return x.group() > y.group();
  const int order = x.key().compare(y.key());
  return order != 0 ? order > 0 : a.number > b.number;
}

void SliceMerge::begin() {
  std::make_heap(sources_.begin(), sources_.end(), later);
  find();
}

void SliceMerge::next() {
  if (row_ != merged()) advance();
  find();
}

/// Moves the source in front on, or takes it away at its end.
void SliceMerge::advance() {
  std::pop_heap(sources_.begin(), sources_.end(), later);
  sources_.back().cursor->next();
  if (sources_.back().cursor->valid()) std::push_heap(sources_.begin(), sources_.end(), later);
  else sources_.pop_back();
}

void SliceMerge::find() {
  valid_ = !sources_.empty();
  if (!valid_) return;
  const GroupCursor& first = *sources_.front().cursor;
  group_ = first.group();
  if (sources_.size() == 1) {
    key_ = first.key();
    row_ = first.accumulators();
    return;
  }
  own_key_ = first.key();
  key_ = own_key_;
  calls_.copy(merged(), first.accumulators());
  row_ = merged();
  for (advance(); !sources_.empty() && sources_.front().cursor->group() == group_ && sources_.front().cursor->key() == key_;
       advance())
    calls_.merge(merged(), sources_.front().cursor->accumulators());
}

std::shared_ptr<const SliceRun> SliceRun::of(const AggregateCalls& calls, GroupCursor& groups, std::size_t most) {
  const std::shared_ptr<SliceRun> run(new SliceRun(calls));
  for (; groups.valid(); groups.next()) {
    run->append(groups);
    if (run->bytes_ > most) return nullptr;
  }
  return run;
}

SliceRun::~SliceRun() {
  if (!calls_.own_memory()) return;
  for (std::size_t i = 0; i < size(); ++i) calls_.clear(const_cast<std::byte*>(accumulators(i)));
}

void SliceRun::append(const GroupCursor& group) {
  keys_ += group.key();
  ends_.push_back(keys_.size());
  groups_.push_back(group.group());
  rows_.resize(rows_.size() + row_pieces_);
  calls_.copy(const_cast<std::byte*>(accumulators(size() - 1)), group.accumulators());
  bytes_ += group.key().size() + sizeof(std::size_t) + 1 + calls_.row_size() + calls_.owned_bytes(group.accumulators());
}

}  // namespace weir
