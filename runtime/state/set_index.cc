#include "runtime/state/set_index.h"

#include <algorithm>
#include <bit>

#include "runtime/base/error.h"
#include "runtime/data/key_parts.h"
#include "runtime/state/key_group.h"
#include "runtime/state/spread_order.h"

namespace weir {
namespace {

bool before(const StateRow& row, std::string_view key) { return row.key() < key; }

std::uint64_t bytes_of(const std::vector<StateRow>& rows) { return rows.capacity() * sizeof(StateRow); }

}  // namespace

std::uint64_t SetIndex::hash(const StateTableOptions& options, std::string_view key, std::uint8_t) {
  std::string_view suffix = key;
  for (const Type& type : options.set_key) take_key_part(suffix, type);
  return key_hash(key.substr(0, key.size() - suffix.size()));
}

SetIndex::~SetIndex() {
  for_each([this](StateRow& row) { keys_.free_large(row.key()); });
}

SetIndex::Place* SetIndex::place_of(std::uint64_t hash) {
  if (places_.empty()) return nullptr;
  for (std::size_t i = home(hash); places_[i].set; i = (i + 1) & (places_.size() - 1))
    if (places_[i].hash == hash) return &places_[i];
  return nullptr;
}

SetIndex::Set* SetIndex::set_of(std::uint64_t hash) const {
  const Place* place = const_cast<SetIndex*>(this)->place_of(hash);
  return place ? place->set.get() : nullptr;
}

SetIndex::Set& SetIndex::make_set(std::uint64_t hash) {
  constexpr std::size_t kFirstPlaces = 4;
  if (4 * (sets_ + 1) > 3 * places_.size()) resize(std::max(kFirstPlaces, 2 * places_.size()));
  std::size_t i = home(hash);
  while (places_[i].set) i = (i + 1) & (places_.size() - 1);
  places_[i].hash = hash;
  places_[i].set = std::make_unique<Set>();
  places_[i].set->chunks.resize(1);
  ++sets_;
  bytes_ += kSetBytes + places_[i].set->whole_prefix.capacity();
  return *places_[i].set;
}

void SetIndex::resize(std::size_t places) {
  std::vector<Place> old(places);
  old.swap(places_);
  for (Place& place : old) {
    if (!place.set) continue;
    std::size_t i = home(place.hash);
    while (places_[i].set) i = (i + 1) & (places_.size() - 1);
    places_[i] = std::move(place);
  }
}

/// By shifting back (Knuth, vol. 3, 6.4, algorithm R).
void SetIndex::remove_place(Place* place) {
  bytes_ -= kSetBytes + place->set->whole_prefix.capacity();
  place->set.reset();
  if (--sets_ == 0) {
    places_ = std::vector<Place>();
    marked_ = std::vector<std::uint64_t>();
    swept_ = 0;
    return;
  }
  const std::size_t mask = places_.size() - 1;
  std::size_t hole = static_cast<std::size_t>(place - places_.data());
  for (std::size_t i = (hole + 1) & mask; places_[i].set; i = (i + 1) & mask) {
    // A set may move into the hole unless its home lies cyclically behind the hole.
    if (((i - home(places_[i].hash)) & mask) < ((i - hole) & mask)) continue;
    places_[hole] = std::move(places_[i]);
    hole = i;
  }
}

/// The last chunk that does not begin behind the key, else the first.
std::size_t SetIndex::chunk_of(const Set& set, std::string_view key) const {
  const auto behind = std::upper_bound(set.chunks.begin(), set.chunks.end(), key,
                                       [](std::string_view k, const Chunk& c) { return k < c.rows.front().key(); });
  return behind == set.chunks.begin() ? 0 : static_cast<std::size_t>(behind - set.chunks.begin()) - 1;
}

StateRow* SetIndex::find(std::string_view key, std::uint64_t hash) {
  Set* const set = set_of(hash);
  if (!set) return nullptr;
  std::vector<StateRow>& rows = set->chunks[chunk_of(*set, key)].rows;
  const auto found = std::lower_bound(rows.begin(), rows.end(), key, before);
  return found != rows.end() && found->key() == key ? &*found : nullptr;
}

StateRow* SetIndex::find_same(std::string_view key, std::uint64_t hash) {
  StateRow* const row = find(key, hash);
  return row && row->key_bytes == key.data() ? row : nullptr;
}

StateRow& SetIndex::insert(std::string_view key, std::uint64_t hash) {
  if (key.size() > StateRow::kLongestKey)
    throw Error(Blame::kData,
                fmt::format("a key of state is too long: {} bytes, at most {}", key.size(), StateRow::kLongestKey));
  Set* set = set_of(hash);
  if (!set) {
    set = &make_set(hash);
  } else {
    const std::size_t full = chunk_of(*set, key);
    const std::vector<StateRow>& rows = set->chunks[full].rows;
    if (rows.size() >= kChunkRows) split(*set, full, full + 1 == set->chunks.size() && before(rows.back(), key));
  }
  Chunk& chunk = set->chunks[set->chunks.back().rows.empty() ? set->chunks.size() - 1 : chunk_of(*set, key)];
  StateRow row{};
  row.key_bytes = keys_.copy(key);
  row.hash = hash;
  row.key_size = static_cast<std::uint32_t>(key.size()) & StateRow::kLongestKey;
  bytes_ -= bytes_of(chunk.rows);
  const auto at = chunk.rows.insert(std::lower_bound(chunk.rows.begin(), chunk.rows.end(), key, before), row);
  bytes_ += bytes_of(chunk.rows);
  ++size_;
  return *at;
}

/// Makes room in a full chunk: a new one behind it takes the upper half of its rows, or none where rows come in order.
void SetIndex::split(Set& set, std::size_t chunk, bool at_end) {
  const auto next = set.chunks.emplace(set.chunks.begin() + static_cast<std::ptrdiff_t>(chunk) + 1);
  bytes_ += sizeof(Chunk) + kHeap;
  if (at_end) return;
  Chunk& full = set.chunks[chunk];
  const auto middle = full.rows.begin() + kChunkRows / 2;
  next->rows.assign(middle, full.rows.end());
  full.rows.erase(middle, full.rows.end());
  next->marked = full.marked;
  bytes_ += bytes_of(next->rows);
}

void SetIndex::remove(StateRow* row) {
  Place* const place = place_of(row->hash);
  Set& set = *place->set;
  const std::size_t at = chunk_of(set, row->key());
  std::vector<StateRow>& rows = set.chunks[at].rows;
  keys_.free(row->key());
  rows.erase(rows.begin() + (row - rows.data()));
  --size_;
  if (rows.empty() && set.chunks.size() == 1) {
    bytes_ -= bytes_of(rows);
    remove_place(place);
  } else if (rows.empty()) {
    remove_chunk(set, at);
  } else {
    join_with_next(set, at);
  }
  if (size_ == 0) keys_.clear();
}

void SetIndex::remove_chunk(Set& set, std::size_t chunk) {
  bytes_ -= sizeof(Chunk) + kHeap + bytes_of(set.chunks[chunk].rows);
  set.chunks.erase(set.chunks.begin() + static_cast<std::ptrdiff_t>(chunk));
}

/// Where few rows are left in both: chunks stay about half full.
void SetIndex::join_with_next(Set& set, std::size_t chunk) {
  Chunk& first = set.chunks[chunk];
  if (first.rows.size() > kChunkRows / 4 || chunk + 1 == set.chunks.size()) return;
  const Chunk& next = set.chunks[chunk + 1];
  if (first.rows.size() + next.rows.size() > kChunkRows / 2) return;
  bytes_ -= bytes_of(first.rows);
  first.rows.insert(first.rows.end(), next.rows.begin(), next.rows.end());
  bytes_ += bytes_of(first.rows);
  first.marked = first.marked || next.marked;
  remove_chunk(set, chunk + 1);
}

void SetIndex::mark(const StateRow& row) {
  Set& set = *set_of(row.hash);
  set.chunks[chunk_of(set, row.key())].marked = true;
  if (!std::exchange(set.marked, true)) marked_.push_back(row.hash);
}

std::size_t SetIndex::sweep_set(Set& set, std::size_t count, const std::function<bool(const StateRow&)>& choose) {
  std::size_t removed = 0;
  for (std::size_t i = 0; i < set.chunks.size() && removed < count;) {
    std::vector<StateRow>& rows = set.chunks[i].rows;
    const std::size_t before = rows.size();
    std::erase_if(rows, [&](const StateRow& row) {
      if (removed == count || !choose(row)) return false;
      keys_.free(row.key());
      return ++removed, true;
    });
    if (rows.empty() && set.chunks.size() > 1) {
      remove_chunk(set, i);
      continue;
    }
    if (rows.size() < before / 2) {
      bytes_ -= bytes_of(rows);
      rows.shrink_to_fit();
      bytes_ += bytes_of(rows);
    }
    const std::size_t chunks = set.chunks.size();
    if (i > 0) join_with_next(set, i - 1);
    if (set.chunks.size() == chunks) ++i;
  }
  if (removed > 0) set.whole = false;
  return removed;
}

std::size_t SetIndex::sweep(std::size_t count, const std::function<bool(const StateRow&)>& choose) {
  std::size_t removed = 0;
  for (std::size_t seen = 0; seen < places_.size() && removed < count;) {
    Place& place = places_[reversed_bits(swept_ & (places_.size() - 1), std::bit_width(places_.size()) - 1)];
    if (place.set) {
      const std::size_t from_set = sweep_set(*place.set, count - removed, choose);
      removed += from_set;
      size_ -= from_set;
      if (place.set->chunks.front().rows.empty()) {
        bytes_ -= bytes_of(place.set->chunks.front().rows);
        remove_place(&place);
        continue;  // what shifts into its place is looked at too
      }
    }
    if (removed == count) break;
    ++swept_;
    ++seen;
  }
  if (size_ == 0) keys_.clear();
  else if (removed > 0 && sets_ < places_.size() / 8) resize(std::bit_ceil(2 * sets_));
  return removed;
}

bool SetIndex::whole(std::string_view key, std::uint64_t hash) const {
  const Set* const set = set_of(hash);
  return set && set->whole && key.starts_with(set->whole_prefix);
}

void SetIndex::set_whole(std::string_view prefix, std::uint64_t hash) {
  Set* const set = set_of(hash);
  if (!set) return;
  set->whole = true;
  bytes_ -= set->whole_prefix.capacity();
  set->whole_prefix = prefix;
  bytes_ += set->whole_prefix.capacity();
}

SetIndex::Position SetIndex::lower_bound(std::string_view key, std::uint64_t hash) const {
  const Set* const set = set_of(hash);
  if (!set) return {};
  const std::size_t chunk = chunk_of(*set, key);
  const std::vector<StateRow>& rows = set->chunks[chunk].rows;
  const auto found = std::lower_bound(rows.begin(), rows.end(), key, before);
  if (found == rows.end()) return {set, chunk + 1, 0};
  return {set, chunk, static_cast<std::size_t>(found - rows.begin())};
}

const StateRow* SetIndex::at(const Position& position) const {
  const Set* const set = static_cast<const Set*>(position.set);
  return set && position.chunk < set->chunks.size() ? &set->chunks[position.chunk].rows[position.row] : nullptr;
}

void SetIndex::next(Position& position) const {
  const Set* const set = static_cast<const Set*>(position.set);
  if (++position.row < set->chunks[position.chunk].rows.size()) return;
  ++position.chunk;
  position.row = 0;
}

}  // namespace weir
