#include "tests/support/table_model.h"

#include <functional>
#include <stdexcept>

namespace weir {

namespace {

/// Rows belong together by the first two bytes of their keys.
std::uint64_t hash_of(const StateTable&, std::string_view key) {
  return hash_in_group(key_hash(key), key_group(key_hash(key.substr(0, 2))));
}
/// Or by what comes before the suffix.
std::uint64_t hash_of(const RowSets&, std::string_view key) { return SetIndex::hash({.set_key = {Type::varchar()}}, key); }

std::string random_key_of(const StateTable&, const std::function<int(int)>& pick) {
  return std::to_string(pick(80)) + (pick(10) == 0 ? std::string(300, 'x') : "");
}
/// A set's key is a text, as EncodedKeys writes it. One set is larger than a chunk of its index.
std::string set_key(int set) { return std::string(1, '\1') + std::to_string(set) + std::string("\0\1", 2); }
std::string random_key_of(const RowSets&, const std::function<int(int)>& pick) {
  const int set = pick(12);
  return set_key(set) + std::to_string(pick(set == 0 ? 900 : 30)) + (pick(10) == 0 ? std::string(300, 'x') : "");
}

}  // namespace

void Numbers::reserve(std::uint32_t slots) {
  for (; used_ * kBlock < slots; ++used_) blocks_[used_] = std::make_unique<std::int64_t[]>(kBlock);
}

template <typename Table>
BasicTableAndModel<Table>::BasicTableAndModel(StateStore& store, std::size_t window_size, KeyGroups groups, unsigned seed)
    : store_(store),
      options_{StateTableId{0}, window_size, groups, {Type::varchar()}},
      random_(seed),
      values_(std::make_unique<Numbers>()),
      table_(std::make_unique<Table>(options_, store, *values_)) {}

template <typename Table>
std::string BasicTableAndModel<Table>::random_window() {
  std::string name;
  for (std::size_t i = 0; i < options_.window_size; ++i)
    name += i + 1 < options_.window_size ? '\0' : "\x01\x02\x7f\xff"[pick(4)];
  return name;
}

template <typename Table>
std::string BasicTableAndModel<Table>::random_key() {
  for (;;) {
    std::string key = random_key_of(*table_, [this](int n) { return pick(n); });
    const int group = key_group(hash_of(*table_, key));
    if (group >= options_.groups.first && group <= options_.groups.last) return key;
  }
}

template <typename Table>
void BasicTableAndModel<Table>::require(bool right, const char* what) const {
  if (!right) throw std::runtime_error(what);
}

template <typename Table>
TableModel BasicTableAndModel<Table>::stored() const {
  TableModel found;
  for (auto cursor = store_.scan(options_.table); cursor->valid(); cursor->next()) {
    const std::string_view key = cursor->key();
    const int group = key[options_.window_size];
    if (group < options_.groups.first || group > options_.groups.last) continue;
    found[std::string(key.substr(0, options_.window_size))][std::string(key.substr(options_.window_size + 1))] =
        std::stoll(std::string(cursor->value()));
  }
  return found;
}

template <typename Table>
void BasicTableAndModel<Table>::step() {
  const std::string window = random_window(), key = random_key();
  if (pick(4) == 0)
    table_->look_ahead(window, std::vector<std::uint64_t>(9, hash_of(*table_, key)), static_cast<std::size_t>(pick(2)));
  switch (pick(40)) {
    case 0:
      table_->drop(window);
      model_.erase(window);
      break;
    case 1:
    case 2:
      if (!frozen_) {
        frozen_ = table_->freeze(epoch_ = epoch_.next());
        frozen_model_ = model_;
      }
      break;
    case 3:
    case 4: ingest(); break;
    case 5: table_->evict(static_cast<std::size_t>(pick(20))); break;
    case 6: pick(2) ? check() : drop_first(); break;
    case 12: scan(window); break;
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
      table_->erase(window, key, hash_of(*table_, key));
      if (model_.contains(window) && model_[window].erase(key) && model_[window].empty()) model_.erase(window);
      break;
    case 13:
    case 14:
    case 15: {
      const StateSlot* slot = table_->find(window, key, hash_of(*table_, key));
      const bool there = model_.contains(window) && model_[window].contains(key);
      require((slot != nullptr) == there, "find: there in one of table and model only");
      if (slot) require(values_->at(*slot) == model_[window][key], "find: another value");
      break;
    }
    default: {
      const auto touched = table_->touch(window, key, hash_of(*table_, key));
      require(touched.created == !(model_.contains(window) && model_[window].contains(key)), "touch: created differs");
      require(values_->at(touched.slot) == (touched.created ? 0 : model_[window][key]), "touch: another value");
      values_->at(touched.slot) += 1 + pick(9);
      model_[window][key] = values_->at(touched.slot);
    }
  }
}

template <typename Table>
void BasicTableAndModel<Table>::drop_first() {
  // A window whose last row was deleted may still be thought to have rows.
  while (const std::optional<std::string> first = table_->first_window()) {
    require(model_.empty() || *first <= model_.begin()->first, "first_window: not the first");
    table_->drop(*first);
    if (model_.erase(*first) > 0) return;
  }
  require(model_.empty(), "first_window: none, though there is one");
}

/// Walks over one set, from somewhere.
template <>
void BasicTableAndModel<RowSets>::scan(const std::string& window) {
  const std::string key = set_key(pick(12)), from = pick(2) ? std::to_string(pick(900)) : "";
  const int group = key_group(key_hash(key));
  if (group < options_.groups.first || group > options_.groups.last) return;
  if (pick(2)) table_->load_set(window, key);
  std::map<std::string, std::int64_t> found, expected;
  std::string last;
  for (RowSetScan scan(*table_, window, key, from); scan.valid(); scan.next()) {
    require(found.empty() || last < scan.suffix(), "scan: not in order");
    last = scan.suffix();
    found[std::string(scan.whole())] = values_->at(scan.slot());
  }
  if (const auto rows = model_.find(window); rows != model_.end())
    for (const auto& [whole, number] : rows->second)
      if (whole.starts_with(key) && whole >= key + from) expected[whole] = number;
  require(found == expected, "scan: other rows");
}

template <>
void BasicTableAndModel<StateTable>::scan(const std::string&) {}

template <typename Table>
void BasicTableAndModel<Table>::ingest() {
  if (!frozen_) return;
  EpochDelta delta{epoch_, {}};
  delta.tables.emplace_back().push_back(frozen_->encode());
  store_.ingest(delta);
  // Between the ingestion and its news the table still answers right.
  for (int i = pick(3); i > 0; --i) check();
  table_->ingested(epoch_);
  frozen_.reset();
  require(stored() == frozen_model_, "the store is not what was frozen");
}

template <typename Table>
void BasicTableAndModel<Table>::restart() {
  ingest();
  frozen_ = table_->freeze(epoch_ = epoch_.next());
  frozen_model_ = model_;
  ingest();
  require(table_->dirty() == 0 && table_->in_flight() == 0, "rows are dirty after everything was ingested");
  table_->evict(1'000'000);
  require(table_->rows() == 0, "values are left after everything was forgotten");
  check();
  table_.reset();
  values_ = std::make_unique<Numbers>();
  table_ = std::make_unique<Table>(options_, store_, *values_);
  check();
}

template <typename Table>
void BasicTableAndModel<Table>::check() {
  TableModel found;
  for (std::optional<std::string> window = table_->first_window(); window; window = table_->next_window(*window))
    table_->for_each(*window, [&](std::string_view key, StateSlot slot) {
      require(found[*window].emplace(key, values_->at(slot)).second, "for_each: a row came twice");
    });
  require(found == model_, "for_each: other rows");
}

template class BasicTableAndModel<StateTable>;
template class BasicTableAndModel<RowSets>;

}  // namespace weir
