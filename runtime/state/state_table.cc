#include "runtime/state/state_table.h"

#include "runtime/base/error.h"

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

std::string join_key(std::string_view window, std::string_view key, std::uint64_t hash) {
  std::string joined;
  joined.reserve(window.size() + 1 + key.size());
  joined.append(window).push_back(static_cast<char>(key_group(hash)));
  return joined.append(key);
}

/// The smallest text of the same size that is larger, or nothing.
bool next_of_same_size(std::string& text) {
  for (std::size_t i = text.size(); i-- > 0;)
    if (++text[i] != 0) return true;
  return false;
}

}  // namespace

StateTable::StateTable(const StateTableOptions& options, const StateReader& store, StateValues& values)
    : options_(options), store_(store), values_(values), own_memory_(values.own_memory()) {
  find_stored_windows();
}

StateTable::~StateTable() = default;

void StateTable::find_stored_windows() {
  const std::size_t size = options_.window_size;
  std::string name(size, '\0');
  for (bool more = true; more;) {
    const auto cursor = store_.scan(options_.table, first_key(name, options_.groups));
    if (!cursor->valid()) return;
    if (cursor->key().size() <= size)
      throw Error(Blame::kRefused,
                  fmt::format("a key of state table {} is too short", store_.tables()[options_.table.value]));
    const std::string found(cursor->key().substr(0, size));
    if (found == name && cursor->key() < end_key(name, options_.groups)) {
      Window& in = window(name);
      in.ask_store = in.stored = true;
    }
    // Another window begins before this task's groups of it, perhaps: look at those next.
    if (found == name) more = next_of_same_size(name);
    else name = found;
  }
}

StateTable::Window* StateTable::find_window(std::string_view name) {
  if (recent_ && recent_->name == name) return recent_;
  const auto found = windows_.find(name);
  if (found == windows_.end()) return nullptr;
  return recent_ = found->second.get();
}

StateTable::Window& StateTable::window(std::string_view name) {
  if (Window* found = find_window(name)) return *found;
  auto made = std::make_unique<Window>();
  made->name = name;
  return *(recent_ = windows_.emplace(name, std::move(made)).first->second.get());
}

StateSlot StateTable::take_slot() {
  ++slots_used_;
  if (free_slots_.empty()) {
    if (fresh_ == slots_) {
      values_.reserve(slots_ += std::clamp<std::uint32_t>(slots_, 64, 1024));
      if (own_memory_) owned_of_.resize(slots_);
    }
    return {fresh_++};
  }
  const StateSlot slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void StateTable::give_back(StateSlot slot) {
  --slots_used_;
  free_slots_.push_back(slot);
  if (!own_memory_) return;
  values_.reset(slot);
  owned_ -= std::exchange(owned_of_[slot.value], 0);
}

void StateTable::measure(StateSlot slot) {
  const std::uint64_t now = values_.owned_bytes(slot);
  owned_ += now - std::exchange(owned_of_[slot.value], now);
}

StateRow* StateTable::load(Window& window, std::string_view key, std::uint64_t hash) {
  if (StateRow* row = window.index.find(key, hash)) return row;
  if (!window.ask_store || (missed_in_ == &window && missed_ == key)) return nullptr;
  std::string value;
  ++store_reads_;
  if (!store_.get(options_.table, join_key(window.name, key, hash), value)) {
    missed_in_ = &window;
    missed_ = key;
    return nullptr;
  }
  const StateSlot slot = take_slot();
  values_.decode(slot, value);
  if (own_memory_) measure(slot);
  StateRow& row = insert(window, key, hash);
  row.slot = slot;
  row.stored = true;
  return &row;
}

StateRow& StateTable::insert(Window& window, std::string_view key, std::uint64_t hash) {
  ++keys_seen_;
  key_bytes_seen_ += key.size();
  index_bytes_ -= window.index.bytes();
  StateRow& row = window.index.insert(key, hash);
  index_bytes_ += window.index.bytes();
  make_clean(window, row);
  return row;
}

void StateTable::Ring::add(Window& window) {
  Neighbours& place = window.*place_;
  if (next_ == nullptr) {
    next_ = place.before = place.behind = &window;
    return;
  }
  place.behind = next_;
  place.before = std::exchange((next_->*place_).before, &window);
  (place.before->*place_).behind = &window;
}

void StateTable::Ring::remove(Window& window) {
  const Neighbours place = std::exchange(window.*place_, {});
  if (next_ == &window) next_ = place.behind == &window ? nullptr : place.behind;
  if (next_ == nullptr) return;
  (place.before->*place_).behind = place.behind;
  (place.behind->*place_).before = place.before;
}

void StateTable::make_clean(Window& window, StateRow& row) {
  row.state = RowState::kClean;
  if (window.clean++ == 0) with_clean_.add(window);
}

void StateTable::no_longer_clean(Window& window, std::size_t rows) {
  if (rows == 0) return;
  window.clean -= rows;
  if (window.clean == 0) with_clean_.remove(window);
}

void StateTable::make_dirty(Window& window, StateRow& row) {
  if (row.state == RowState::kDirty) return;
  if (row.state == RowState::kClean) no_longer_clean(window, 1);
  window.index.mark(row);
  if (!with_dirty_.has(window)) with_dirty_.add(window);
  row.state = RowState::kDirty;
  ++dirty_;
}

StateTable::Touched StateTable::touch(std::string_view name, std::string_view key, std::uint64_t hash) {
  Window& in = window(name);
  StateRow* row = load(in, key, hash);
  const bool created = row == nullptr || row->deleted;
  if (row == nullptr) row = &insert(in, key, hash);
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
  make_dirty(in, *row);
  touched_ = row->slot;
  if (own_memory_) unmeasured_.push_back(row->slot);
  return {row->slot, created};
}

std::optional<StateSlot> StateTable::look_into(std::string_view name, std::span<const std::uint64_t> hashes, std::size_t next) {
  const Window* in = find_window(name);
  if (!in || next + kNear >= hashes.size()) return std::nullopt;
  if (next + kFar < hashes.size()) in->index.prefetch(hashes[next + kFar]);
  const StateRow* row = in->index.likely(hashes[next + kNear]);
  return row && !row->deleted ? std::optional(row->slot) : std::nullopt;
}

const StateSlot* StateTable::find(std::string_view name, std::string_view key, std::uint64_t hash) {
  Window* in = find_window(name);
  const StateRow* row = in ? load(*in, key, hash) : nullptr;
  return row && !row->deleted ? &row->slot : nullptr;
}

void StateTable::forget(Window& window, StateRow* row) {
  if (row->state == RowState::kDirty) --dirty_;
  window.index.remove(row);
}

void StateTable::erase(std::string_view name, std::string_view key) {
  Window* in = find_window(name);
  if (in == nullptr) return;
  StateRow* row = load(*in, key, key_hash(key));
  if (row == nullptr || row->deleted) return;
  if (row->state != RowState::kInFlight) give_back(row->slot);
  if (!row->stored) return forget(*in, row);
  make_dirty(*in, *row);
  row->deleted = true;
}

void StateTable::drop(std::string_view name) {
  const auto found = windows_.find(name);
  if (found == windows_.end()) return;
  std::unique_ptr<Window> gone = std::move(found->second);
  windows_.erase(found);
  recent_ = nullptr;
  missed_in_ = nullptr;
  gone->index.for_each([&](StateRow& row) {
    if (row.state == RowState::kDirty) --dirty_;
    if (!row.deleted && row.state != RowState::kInFlight) give_back(row.slot);
  });
  no_longer_clean(*gone, gone->clean);
  if (with_dirty_.has(*gone)) with_dirty_.remove(*gone);
  if (gone->stored) dropped_.push_back(gone->name);
  gone->dropped = true;
  if (gone->in_flight > 0) retired_.push_back(std::move(gone));
  else index_bytes_ -= gone->index.bytes();
}

void StateTable::for_each(std::string_view name, const std::function<void(std::string_view key, StateSlot slot)>& visit) {
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
    if (in->index.find(key, key_hash(key))) continue;  // memory knows better, a tombstone too
    values_.decode(slot, cursor->value());
    visit(key, slot);
  }
  give_back(slot);
}

std::vector<std::string> StateTable::windows() const {
  std::vector<std::string> names;
  for (const auto& [name, window] : windows_)
    if (window->ask_store || window->index.size() > 0) names.push_back(name);
  return names;
}

std::shared_ptr<const FrozenRows> StateTable::freeze(Epoch epoch) {
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

void StateTable::settle(const FrozenRow& frozen) {
  Window& window = *frozen.window;
  // A row in flight is never removed, so its key is where it was.
  StateRow* row = window.dropped ? nullptr : window.index.find_same(frozen.key.data(), frozen.hash);
  if (row && row->state == RowState::kInFlight) {
    if (frozen.deleted) window.index.remove(row);
    else make_clean(window, *row);
    return;
  }
  if (!frozen.deleted) give_back(frozen.slot);  // the row was changed, deleted or dropped since: this was its frozen value
}

void StateTable::ingested(Epoch epoch) {
  if (!frozen_ || frozen_->epoch_ != epoch) throw Error(Blame::kBug, fmt::format("epoch {} is not in flight", epoch.value));
  const std::vector<FrozenRow>& rows = frozen_->rows_;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kFar < rows.size()) rows[i + kFar].window->index.prefetch(rows[i + kFar].hash);
    rows[i].window->in_flight = 0;
    settle(rows[i]);
  }
  frozen_.reset();
  for (const auto& window : retired_) index_bytes_ -= window->index.bytes();
  retired_.clear();
}

std::size_t StateTable::evict(std::size_t count) {
  std::size_t evicted = 0;
  missed_in_ = nullptr;  // what is forgotten is in the store
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
  }
  return evicted;
}

std::size_t StateTable::in_flight() const { return frozen_ ? frozen_->rows_.size() : 0; }

StateMemory StateTable::memory(std::uint64_t slot_bytes) {
  constexpr std::size_t kSampleBytes = 4096;  // a call, on average
  sample_credit_ += kSampleBytes;
  if (touched_ && sample_credit_ > sample_.size()) {
    sample_credit_ = 0;
    sample_.clear();
    values_.encode(*std::exchange(touched_, std::nullopt), sample_);
    const auto bytes = static_cast<double>(sample_.size());
    encoded_bytes_ = encoded_bytes_ == 0 ? bytes : encoded_bytes_ + (bytes - encoded_bytes_) / 32;
  }
  for (const StateSlot slot : unmeasured_) measure(slot);
  unmeasured_.clear();
  const std::uint64_t owned = slots_used_ > 0 ? owned_ / slots_used_ + (own_memory_ ? sizeof owned_ : 0) : 0;
  const std::uint64_t key = (keys_seen_ ? key_bytes_seen_ / keys_seen_ : 0) + options_.window_size + 1;
  // An index has between 4/3 and 8/3 places for each row, the list of free slots may hold them all.
  const std::uint64_t in_index = key + 2 * sizeof(StateRow), needed = slots_used_ * in_index;
  const std::uint64_t index = index_bytes_ + (windows_.size() + retired_.size()) * kWindowBytes;
  return {.rows = slots_used_,
          .dirty = dirty_,
          .in_flight = in_flight(),
          .row_bytes = in_index + sizeof(StateSlot) + slot_bytes + owned,
          .flight_bytes = sizeof(FrozenRow) + sizeof(TableDelta::Entry) + key + static_cast<std::uint64_t>(encoded_bytes_),
          .idle_bytes = index > needed ? index - needed : 0};
}

TableDelta FrozenRows::encode() const {
  TableDelta delta;
  delta.reserve(rows_.size());
  for (const std::string& window : dropped_)
    delta.erase_range(first_key(window, options_->groups), end_key(window, options_->groups));
  std::string value;
  for (const StateTable::FrozenRow& row : rows_) {
    const std::string key = join_key(row.window->name, row.key, row.hash);
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

}  // namespace weir
