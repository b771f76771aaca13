#include "runtime/state/state_table.h"

#include "runtime/base/error.h"
#include "runtime/state/key_range.h"
#include "runtime/state/row_sets.h"

namespace weir {
namespace {

/// What is a cache miss is asked for so many rows ahead; what is asked for first says what to ask for then.
constexpr std::size_t kFar = 16, kNear = 8;

/// The keys of a window that belong to the groups: from the first to before the last.
std::string first_key(std::string_view window, const KeyGroups& groups) {
  return std::string(window) + static_cast<char>(groups.first);
}
std::string end_key(std::string_view window, const KeyGroups& groups) {
  return std::string(window) + static_cast<char>(groups.last + 1);
}

/// The smallest text of the same size that is larger, or nothing.
bool next_of_same_size(std::string& text) {
  for (std::size_t i = text.size(); i-- > 0;)
    if (++text[i] != 0) return true;
  return false;
}

}  // namespace

void DroppedWindows::add_to_range(std::string_view name) {
  if (!range) range.emplace(name, name);
  else if (name < range->first) range->first = name;
  else if (name > range->second) range->second = name;
}

const std::string* DroppedWindows::through(std::string_view name) const {
  if (range && range->first <= name && name <= range->second) return &range->second;
  const auto found = names.find(name);
  return found == names.end() ? nullptr : &*found;
}

template <typename Index>
BasicStateTable<Index>::BasicStateTable(const StateTableOptions& options, const StateReader& store, StateValues& values)
    : options_(options), store_(store), values_(values), memory_(values) {
  first_ = stored_from(std::string(options_.window_size, '\0'), nullptr);
  first_known_ = true;
  elsewhere_ = first_.has_value();
}

template <typename Index>
BasicStateTable<Index>::~BasicStateTable() = default;

/// If the store does not hold a window any more, as soon as the deltas are ingested: see DroppedWindows::through.
template <typename Index>
const std::string* BasicStateTable<Index>::dropped_through(std::string_view name) const {
  if (const std::string* through = dropped_.through(name)) return through;
  return frozen_ ? frozen_->dropped_.through(name) : nullptr;
}

/// The first window from `name` on, and before `before`, of which the store holds rows of this task.
template <typename Index>
std::optional<std::string> BasicStateTable<Index>::stored_from(std::string name, const std::string* before) const {
  const std::size_t size = options_.window_size;
  while (!before || name < *before) {
    if (const std::string* through = dropped_through(name)) {
      name = *through;
      if (!next_of_same_size(name)) return std::nullopt;
      continue;
    }
    const auto cursor = store_.scan(options_.table, first_key(name, options_.groups), before ? *before : std::string_view());
    if (!cursor->valid()) return std::nullopt;
    if (cursor->key().size() <= size)
      throw Error(Blame::kRefused,
                  fmt::format("a key of state table {} is too short", store_.tables()[options_.table.value]));
    const std::string found(cursor->key().substr(0, size));
    if (found == name && cursor->key() < end_key(name, options_.groups)) return name;
    // Another window begins before this task's groups of it, perhaps: look at those next.
    if (found != name) name = found;
    else if (!next_of_same_size(name)) return std::nullopt;
  }
  return std::nullopt;
}

template <typename Index>
std::optional<std::string> BasicStateTable<Index>::window_from(std::string name) const {
  auto found = windows_.lower_bound(name);
  while (found != windows_.end() && !found->second->ask_store && found->second->index.size() == 0) ++found;
  const std::string* const here = found == windows_.end() ? nullptr : &found->first;
  if (elsewhere_)
    if (auto stored = stored_from(std::move(name), here)) return stored;
  return here ? std::optional(*here) : std::nullopt;
}

template <typename Index>
const std::optional<std::string>& BasicStateTable<Index>::first_window() {
  if (!first_known_) first_ = passed_.empty() ? window_from(std::string(options_.window_size, '\0')) : next_window(passed_);
  first_known_ = true;
  return first_;
}

template <typename Index>
std::optional<std::string> BasicStateTable<Index>::next_window(std::string_view window) const {
  std::string name(window);
  return next_of_same_size(name) ? window_from(std::move(name)) : std::nullopt;
}

template <typename Index>
typename BasicStateTable<Index>::Window* BasicStateTable<Index>::in_memory(std::string_view name) {
  if (recent_ && recent_->name == name) return recent_;
  const auto found = windows_.find(name);
  if (found == windows_.end()) return nullptr;
  return recent_ = found->second.get();
}

/// The window, also if only the store knows it.
template <typename Index>
typename BasicStateTable<Index>::Window* BasicStateTable<Index>::find_window(std::string_view name) {
  Window* const found = in_memory(name);
  if (found || !elsewhere_ || dropped_through(name)) return found;
  const auto cursor = store_.scan(options_.table, first_key(name, options_.groups), end_key(name, options_.groups));
  return cursor->valid() ? &add_window(name, true) : nullptr;
}

template <typename Index>
typename BasicStateTable<Index>::Window& BasicStateTable<Index>::window(std::string_view name) {
  Window* const found = find_window(name);
  return found ? *found : add_window(name, false);
}

template <typename Index>
typename BasicStateTable<Index>::Window& BasicStateTable<Index>::add_window(std::string_view name, bool stored) {
  auto made = std::make_unique<Window>();
  made->name = name;
  made->ask_store = made->stored = stored;
  if (first_known_ && (!first_ || name < *first_)) first_ = name;
  if (name <= passed_) passed_.clear();
  recent_ = windows_.emplace(name, std::move(made)).first->second.get();
  bare_.add(*recent_);
  return *recent_;
}

/// Call it when a row of the window is gone from memory.
template <typename Index>
void BasicStateTable<Index>::note_bare(Window& window) {
  if (window.index.size() == 0 && !bare_.has(window)) bare_.add(window);
}

template <typename Index>
void BasicStateTable<Index>::forget_bare() {
  while (Window* window = bare_.next()) {
    bare_.remove(*window);
    if (with_dirty_.has(*window)) with_dirty_.remove(*window);
    elsewhere_ = elsewhere_ || window->stored || window->ask_store;
    index_bytes_ -= window->index.bytes();
    if (recent_ == window) recent_ = nullptr;
    windows_.erase(windows_.find(window->name));
  }
}

template <typename Index>
StateSlot BasicStateTable<Index>::take_slot() {
  ++slots_used_;
  if (free_slots_.empty()) {
    if (fresh_ == slots_) {
      values_.reserve(slots_ += std::clamp<std::uint32_t>(slots_, 64, 1024));
      memory_.reserve(slots_);
    }
    return {fresh_++};
  }
  const StateSlot slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

template <typename Index>
void BasicStateTable<Index>::give_back(StateSlot slot) {
  --slots_used_;
  free_slots_.push_back(slot);
  memory_.given_back(slot);
}

template <typename Index>
StateRow* BasicStateTable<Index>::load(Window*& in, std::string_view name, std::string_view key, std::uint64_t hash) {
  if (in) {
    if (StateRow* row = in->index.find(key, hash)) return row;
    if (!in->ask_store || in->index.whole(key, hash)) return nullptr;
  } else if (!elsewhere_ || dropped_through(name)) {
    return nullptr;
  }
  if (missing_ && missed_ == key && missed_in_ == name) return nullptr;
  std::string value;
  ++store_reads_;
  missing_ = !store_.get(options_.table, stored_key(name, key_group(hash), key), value);
  if (missing_) {
    missed_in_ = name;
    missed_ = key;
    return nullptr;
  }
  if (!in) in = &add_window(name, true);
  return &take_stored(*in, key, hash, value);
}

template <typename Index>
StateRow& BasicStateTable<Index>::take_stored(Window& window, std::string_view key, std::uint64_t hash,
                                              std::string_view value) {
  const StateSlot slot = take_slot();
  values_.decode(slot, value);
  memory_.loaded(slot);
  StateRow& row = insert(window, key, hash);
  row.slot = slot;
  row.stored = true;
  return row;
}

template <typename Index>
StateRow& BasicStateTable<Index>::insert(Window& window, std::string_view key, std::uint64_t hash) {
  memory_.add_key(key.size());
  index_bytes_ -= window.index.bytes();
  StateRow& row = window.index.insert(key, hash);
  index_bytes_ += window.index.bytes();
  if (bare_.has(window)) bare_.remove(window);
  make_clean(window, row);
  return row;
}

template <typename Index>
void BasicStateTable<Index>::Ring::add(StateWindow& window) {
  StateWindow::Neighbours& place = window.*place_;
  if (next_ == nullptr) {
    next_ = place.before = place.behind = &window;
    return;
  }
  place.behind = next_;
  place.before = std::exchange((next_->*place_).before, &window);
  (place.before->*place_).behind = &window;
}

template <typename Index>
void BasicStateTable<Index>::Ring::remove(StateWindow& window) {
  const StateWindow::Neighbours place = std::exchange(window.*place_, {});
  if (next_ == &window) next_ = place.behind == &window ? nullptr : place.behind;
  if (next_ == nullptr) return;
  (place.before->*place_).behind = place.behind;
  (place.behind->*place_).before = place.before;
}

template <typename Index>
void BasicStateTable<Index>::make_clean(Window& window, StateRow& row) {
  row.state = RowState::kClean;
  if (window.clean++ == 0) with_clean_.add(window);
}

template <typename Index>
void BasicStateTable<Index>::no_longer_clean(Window& window, std::size_t rows) {
  if (rows == 0) return;
  window.clean -= rows;
  if (window.clean == 0) with_clean_.remove(window);
}

template <typename Index>
void BasicStateTable<Index>::make_dirty(Window& window, StateRow& row) {
  if (row.state == RowState::kDirty) return;
  if (row.state == RowState::kClean) no_longer_clean(window, 1);
  window.index.mark(row);
  if (!with_dirty_.has(window)) with_dirty_.add(window);
  row.state = RowState::kDirty;
  ++dirty_;
}

template <typename Index>
typename BasicStateTable<Index>::Touched BasicStateTable<Index>::touch(std::string_view name, std::string_view key,
                                                                       std::uint64_t hash) {
  Window* in = in_memory(name);
  StateRow* row = load(in, name, key, hash);
  const bool created = row == nullptr || row->deleted;
  if (in == nullptr) in = &window(name);
  if (row == nullptr) row = &insert(*in, key, hash);
  if (created) {
    row->slot = take_slot();
    row->deleted = false;
    values_.reset(row->slot);
  } else if (row->state == RowState::kInFlight) {
    const StateSlot frozen = row->slot;
    row->slot = take_slot();
    values_.copy(frozen, row->slot);
    // Where one row of a frozen epoch changes many do: those that are given out next were not used for an epoch.
    if (free_slots_.size() >= kNear) values_.prefetch(free_slots_[free_slots_.size() - kNear]);
  }
  make_dirty(*in, *row);
  memory_.touched(row->slot);
  return {row->slot, created};
}

template <typename Index>
std::optional<StateSlot> BasicStateTable<Index>::look_into(std::string_view name, std::span<const std::uint64_t> hashes,
                                                           std::size_t next) {
  const Window* in = in_memory(name);
  if (!in || next + kNear >= hashes.size()) return std::nullopt;
  if (next + kFar < hashes.size()) in->index.prefetch(hashes[next + kFar]);
  const StateRow* row = in->index.likely(hashes[next + kNear]);
  return row && !row->deleted ? std::optional(row->slot) : std::nullopt;
}

template <typename Index>
const StateSlot* BasicStateTable<Index>::find(std::string_view name, std::string_view key, std::uint64_t hash) {
  Window* in = in_memory(name);
  const StateRow* row = load(in, name, key, hash);
  return row && !row->deleted ? &row->slot : nullptr;
}

template <typename Index>
void BasicStateTable<Index>::forget(Window& window, StateRow* row) {
  if (row->state == RowState::kDirty) --dirty_;
  window.index.remove(row);
  note_bare(window);
}

template <typename Index>
void BasicStateTable<Index>::erase(std::string_view name, std::string_view key, std::uint64_t hash) {
  Window* in = in_memory(name);
  StateRow* row = load(in, name, key, hash);
  if (row == nullptr || row->deleted) return;
  if (row->state != RowState::kInFlight) give_back(row->slot);
  if (!row->stored) return forget(*in, row);
  make_dirty(*in, *row);
  row->deleted = true;
}

template <typename Index>
void BasicStateTable<Index>::drop(std::string_view name) {
  const bool first = first_known_ && first_ && *first_ == name;
  const auto found = windows_.find(name);
  const bool here = found != windows_.end();
  if (here ? found->second->stored : elsewhere_ && !dropped_through(name)) {
    if (first && options_.groups == KeyGroups()) dropped_.add_to_range(name);
    else dropped_.names.emplace(name);
  }
  missing_ = false;
  if (first) {
    passed_ = name;
    first_known_ = false;
  }
  if (!here) return;
  std::unique_ptr<Window> gone = std::move(found->second);
  windows_.erase(found);
  if (recent_ == gone.get()) recent_ = nullptr;
  if (bare_.has(*gone)) bare_.remove(*gone);
  gone->index.for_each([&](StateRow& row) {
    if (row.state == RowState::kDirty) --dirty_;
    if (!row.deleted && row.state != RowState::kInFlight) give_back(row.slot);
  });
  no_longer_clean(*gone, gone->clean);
  if (with_dirty_.has(*gone)) with_dirty_.remove(*gone);
  gone->dropped = true;
  if (gone->in_flight > 0) retired_.push_back(std::move(gone));
  else index_bytes_ -= gone->index.bytes();
}

template <typename Index>
void BasicStateTable<Index>::for_each(std::string_view name,
                                      const std::function<void(std::string_view key, StateSlot slot)>& visit) {
  Window* in = find_window(name);
  if (in == nullptr) return;
  in->index.for_each([&](StateRow& row) {
    if (!row.deleted) visit(row.key(), row.slot);
  });
  if (!in->ask_store) return;
  const StateSlot slot = take_slot();
  const std::size_t prefix = options_.window_size + 1;
  for (auto cursor = store_.scan(options_.table, first_key(name, options_.groups), end_key(name, options_.groups));
       cursor->valid(); cursor->next()) {
    const std::string_view key = cursor->key().substr(prefix);
    const auto group = static_cast<std::uint8_t>(cursor->key()[prefix - 1]);
    if (in->index.find(key, Index::hash(options_, key, group))) continue;  // memory knows better, a tombstone too
    values_.decode(slot, cursor->value());
    visit(key, slot);
  }
  give_back(slot);
}

template <typename Index>
void BasicStateTable<Index>::load_set(std::string_view name, std::string_view prefix) requires requires(Index& index) {
  index.set_whole({}, 0);
}
{
  Window* in = in_memory(name);
  if (in ? !in->ask_store : !elsewhere_ || dropped_through(name)) return;
  const std::uint64_t hash = key_hash(prefix);
  if (in && in->index.whole(prefix, hash)) return;
  const std::string begin = stored_key(name, key_group(hash), prefix), end = end_of_prefix(begin);
  ++store_reads_;
  const std::size_t skipped = options_.window_size + 1;
  for (auto cursor = store_.scan(options_.table, begin, end); cursor->valid(); cursor->next()) {
    const std::string_view key = cursor->key().substr(skipped);
    if (!in) in = &add_window(name, true);
    if (!in->index.find(key, hash)) take_stored(*in, key, hash, cursor->value());  // else memory knows better
  }
  if (in) in->index.set_whole(prefix, hash);
}

template <typename Index>
std::shared_ptr<const FrozenRows> BasicStateTable<Index>::freeze(Epoch epoch) {
  if (frozen_)
    throw Error(Blame::kBug,
                fmt::format("epoch {} would be frozen while {} is in flight", epoch.value, frozen_->epoch_.value));
  auto frozen = std::make_shared<FrozenRows>();
  frozen->epoch_ = epoch;
  frozen->options_ = &options_;
  frozen->values_ = &values_;
  frozen->dropped_ = std::exchange(dropped_, {});
  frozen->rows_.reserve(dirty_);
  while (Window* window = with_dirty_.next()) {
    with_dirty_.remove(*window);
    const std::size_t before = frozen->rows_.size();
    window->index.take_marked([&](StateRow& row) {
      row.state = RowState::kInFlight;
      row.stored = true;
      frozen->rows_.push_back({window, row.key(), row.hash, row.slot, row.deleted});
    });
    window->in_flight = frozen->rows_.size() - before;
    if (window->in_flight > 0) window->stored = true;
  }
  dirty_ = 0;
  frozen_ = std::move(frozen);
  return frozen_;
}

template <typename Index>
void BasicStateTable<Index>::settle(const FrozenRows::Row& frozen) {
  Window& window = static_cast<Window&>(*frozen.window);
  // A row in flight is never removed, so its key is where it was.
  StateRow* row = window.dropped ? nullptr : window.index.find_same(frozen.key, frozen.hash);
  if (row && row->state == RowState::kInFlight) {
    if (!frozen.deleted) return make_clean(window, *row);
    window.index.remove(row);
    return note_bare(window);
  }
  if (!frozen.deleted) give_back(frozen.slot);  // the row was changed, deleted or dropped since: this was its frozen value
}

template <typename Index>
void BasicStateTable<Index>::ingested(Epoch epoch) {
  if (!frozen_ || frozen_->epoch_ != epoch) throw Error(Blame::kBug, fmt::format("epoch {} is not in flight", epoch.value));
  const std::vector<FrozenRows::Row>& rows = frozen_->rows_;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kFar < rows.size()) static_cast<Window*>(rows[i + kFar].window)->index.prefetch(rows[i + kFar].hash);
    rows[i].window->in_flight = 0;
    settle(rows[i]);
  }
  frozen_.reset();
  for (const auto& window : retired_) index_bytes_ -= window->index.bytes();
  retired_.clear();
}

template <typename Index>
std::size_t BasicStateTable<Index>::evict(std::size_t count) {
  std::size_t evicted = 0;
  missing_ = false;  // what is forgotten is in the store
  while (evicted < count && with_clean_.next()) {
    Window& in = *with_clean_.next();
    index_bytes_ -= in.index.bytes();
    const std::size_t forgotten = in.index.sweep(std::min(count - evicted, in.clean), [&](const StateRow& row) {
      if (row.state != RowState::kClean) return false;
      give_back(row.slot);
      return true;
    });
    index_bytes_ += in.index.bytes();
    in.ask_store = true;
    no_longer_clean(in, forgotten);
    evicted += forgotten;
    note_bare(in);
  }
  forget_bare();
  return evicted;
}

template <typename Index>
std::size_t BasicStateTable<Index>::in_flight() const {
  return frozen_ ? frozen_->rows_.size() : 0;
}

template <typename Index>
StateMemory BasicStateTable<Index>::memory(std::uint64_t slot_bytes) {
  memory_.measure();
  const std::uint64_t key = memory_.key_bytes() + options_.window_size + 1;
  const std::uint64_t in_index = key + Index::kRowBytes;
  // A window goes with its rows, so they pay for it: little where they are many.
  const std::uint64_t windows = (windows_.size() + retired_.size()) * (kWindowBytes + kSmallIndexBytes);
  const std::uint64_t of_window = slots_used_ > 0 ? windows / slots_used_ : 0;
  const std::uint64_t index = index_bytes_ + (windows_.size() + retired_.size()) * kWindowBytes;
  const std::uint64_t needed = slots_used_ * (in_index + of_window);
  // The list of free slots may hold them all.
  return {.rows = slots_used_,
          .dirty = dirty_,
          .in_flight = in_flight(),
          .row_bytes = in_index + of_window + sizeof(StateSlot) + slot_bytes + memory_.owned_bytes(slots_used_),
          .flight_bytes = sizeof(FrozenRows::Row) + sizeof(TableDelta::Entry) + key + memory_.encoded_bytes(slots_used_),
          .idle_bytes = index > needed ? index - needed : 0};
}

TableDelta FrozenRows::encode() const {
  TableDelta delta;
  delta.reserve(rows_.size());
  if (const auto& range = dropped_.range)
    delta.erase_range(first_key(range->first, options_->groups), end_key(range->second, options_->groups));
  for (const std::string& window : dropped_.names)
    delta.erase_range(first_key(window, options_->groups), end_key(window, options_->groups));
  std::string value;
  for (const Row& row : rows_) {
    const std::string key = stored_key(row.window->name, key_group(row.hash), row.key);
    if (row.deleted) {
      delta.erase(key);
      continue;
    }
    value.clear();
    values_->encode(row.slot, value);
    delta.put(key, value);
  }
  delta.sort();
  return delta;
}

template class BasicStateTable<RowIndex>;
template class BasicStateTable<SetIndex>;

}  // namespace weir
