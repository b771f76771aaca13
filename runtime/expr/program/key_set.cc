#include "runtime/expr/program/key_set.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "runtime/data/type.h"

namespace weir::expr {
namespace {

template <typename T>
T load(const char* from) {
  T v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

std::uint64_t hash_of(std::string_view tail) { return std::hash<std::string_view>()(tail); }

}  // namespace

bool KeySet::all_zeros(std::string_view bytes) {
  if (bytes.size() == sizeof(std::uint64_t)) return load<std::uint64_t>(bytes.data()) == 0;
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

std::size_t KeySet::bytes() const {
  constexpr std::size_t kAllocator = 16;
  return sizeof *this + kAllocator + places_.capacity() + kAllocator + (varies_ ? texts_.capacity() + kAllocator : 0);
}

std::size_t KeySet::home(std::uint64_t hash) const {
  return static_cast<std::size_t>(static_cast<UInt128>(hash) * capacity_ >> 64);
}

/// The key at a place, without its first byte.
std::string_view KeySet::tail(const char* at) const {
  if (!varies_) return {at, key_bytes_};
  const std::size_t begin = static_cast<std::size_t>(load<std::uint64_t>(at) >> kHashBits) - 1;
  const std::string_view rest(texts_.data() + begin, texts_.size() - begin);
  return rest.substr(0, rest.find(std::string_view("\0\1", 2)) + 2);
}

bool KeySet::holds(const char* at, std::string_view tail, std::uint64_t hash) const {
  if (!varies_) {
    if (key_bytes_ == sizeof(std::uint64_t)) return load<std::uint64_t>(at) == load<std::uint64_t>(tail.data());
    return std::memcmp(at, tail.data(), key_bytes_) == 0;
  }
  const auto there = load<std::uint64_t>(at);
  if ((there & kHashMask) != (hash & kHashMask)) return false;
  // None is the beginning of another, since each ends with what is not within.
  const std::size_t begin = static_cast<std::size_t>(there >> kHashBits) - 1;
  return texts_.size() - begin >= tail.size() && std::memcmp(texts_.data() + begin, tail.data(), tail.size()) == 0;
}

/// The place of a key, or the free one where it would be.
std::size_t KeySet::find(std::string_view tail, std::uint64_t hash) const {
  std::size_t i = home(hash);
  while (!is_free(place(i)) && !holds(place(i), tail, hash))
    if (++i == capacity_) i = 0;
  return i;
}

void KeySet::put(char* at, std::string_view tail, std::uint64_t hash) {
  if (!varies_) return void(std::memcpy(at, tail.data(), key_bytes_));
  const std::uint64_t value = (static_cast<std::uint64_t>(texts_.size()) + 1) << kHashBits | (hash & kHashMask);
  const std::size_t needed = texts_.size() + tail.size();
  if (texts_.capacity() < needed) texts_.reserve(std::max(needed, texts_.size() + texts_.size() / 2));
  texts_.insert(texts_.end(), tail.begin(), tail.end());
  std::memcpy(at, &value, sizeof value);
}

std::int64_t KeySet::count_of(const char* at) const { return counts_ ? load<std::int64_t>(at + key_bytes_) : 1; }

std::int64_t KeySet::change_count(char* at, std::int64_t by) {
  const std::int64_t now = count_of(at) + by;
  std::memcpy(at + key_bytes_, &now, sizeof now);
  return now;
}

bool KeySet::add(std::string_view key, std::int64_t count) {
  const std::string_view rest = key.substr(1);
  if (!varies_ && all_zeros(rest)) {
    const bool fresh = zeros_ == 0;
    zeros_ = counts_ ? zeros_ + count : 1;
    return fresh;
  }
  if ((used_ + 1) * 5 > capacity_ * 4) rebuild(capacity_ + capacity_ / 2 + 4);
  const std::uint64_t hash = hash_of(rest);
  char* at = place(find(rest, hash));
  const bool fresh = is_free(at);
  if (fresh) put(at, rest, hash), ++used_;
  if (counts_) change_count(at, count);
  return fresh;
}

bool KeySet::remove(std::string_view key) {
  const std::string_view rest = key.substr(1);
  if (!varies_ && all_zeros(rest)) return zeros_ > 0 && --zeros_ == 0;
  if (used_ == 0) return false;
  const std::size_t i = find(rest, hash_of(rest));
  if (is_free(place(i)) || change_count(place(i), -1) > 0) return false;
  if (varies_) gone_ += rest.size();
  free_place(i);
  --used_;
  if (capacity_ > 4 * used_ + 16 || gone_ > texts_.size() / 2 + 64) rebuild(used_ + used_ / 2 + 4);
  return true;
}

/// Frees a place and moves back what was behind it for its sake (Knuth, vol. 3, 6.4, algorithm R).
void KeySet::free_place(std::size_t i) {
  for (std::size_t j = i;;) {
    j = j + 1 == capacity_ ? 0 : j + 1;
    if (is_free(place(j))) break;
    const std::size_t wanted = home(hash_of(tail(place(j))));
    if (i < j ? i < wanted && wanted <= j : i < wanted || wanted <= j) continue;
    std::memcpy(place(i), place(j), stride());
    i = j;
  }
  std::memset(place(i), 0, stride());
}

void KeySet::reserve(std::size_t keys) {
  if (keys * 5 > capacity_ * 4) rebuild(keys + keys / 3 + 4);
}

void KeySet::rebuild(std::size_t capacity) {
  KeySet old(key_bytes_, counts_);
  old.varies_ = varies_;
  old.places_.swap(places_);
  old.capacity_ = std::exchange(capacity_, capacity);
  places_.assign(capacity_ * stride(), 0);
  if (gone_ > 0) {
    old.texts_.swap(texts_);
    gone_ = 0;
  }
  for (std::size_t i = 0; i < old.capacity_; ++i) {
    const char* from = old.place(i);
    if (is_free(from)) continue;
    const std::string_view key = (old.texts_.empty() ? *this : old).tail(from);
    const std::uint64_t hash = hash_of(key);
    char* at = place(find(key, hash));
    if (old.texts_.empty()) std::memcpy(at, from, key_bytes_);
    else put(at, key, hash);
    if (counts_) change_count(at, old.count_of(from));
  }
}

}  // namespace weir::expr
