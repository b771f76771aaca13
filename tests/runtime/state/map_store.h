#pragma once
#include <map>

#include "runtime/state/state_store.h"

namespace weir {

/// A store in memory: what RocksDB should do, written down plainly.
class MapStore final : public StateStore {
 public:
  using Rows = std::map<std::string, std::string>;
  explicit MapStore(std::vector<std::string> tables = {"step/rows"}) : names_(std::move(tables)), rows_(names_.size()) {}

  const std::vector<std::string>& tables() const override { return names_; }
  bool get(StateTableId table, std::string_view key, std::string& value) const override {
    const auto found = rows_[table.value].find(std::string(key));
    if (found == rows_[table.value].end()) return false;
    value = found->second;
    return true;
  }
  std::unique_ptr<StateCursor> scan(StateTableId table, std::string_view begin, std::string_view end) const override {
    const Rows& rows = rows_[table.value];
    return std::make_unique<Cursor>(
        Rows(rows.lower_bound(std::string(begin)), end.empty() ? rows.end() : rows.lower_bound(std::string(end))));
  }
  Size size(StateTableId table) const override { return {rows_[table.value].size(), 0}; }
  void ingest(const EpochDelta& delta) override {
    for (std::size_t t = 0; t < delta.tables.size(); ++t) {
      for (const TableDelta& d : delta.tables[t])
        for (const auto& range : d.ranges()) rows_[t].erase(rows_[t].lower_bound(range.begin), rows_[t].lower_bound(range.end));
      for (const TableDelta& d : delta.tables[t])
        for (std::size_t i = 0; i < d.size(); ++i) {
          if (d.at(i).value) rows_[t].insert_or_assign(std::string(d.at(i).key), std::string(*d.at(i).value));
          else rows_[t].erase(std::string(d.at(i).key));
        }
    }
  }
  std::vector<StateFile> checkpoint(const std::filesystem::path&) override { return {}; }
  const Rows& rows(StateTableId table) const { return rows_[table.value]; }

 private:
  class Cursor final : public StateCursor {
   public:
    explicit Cursor(Rows rows) : rows_(std::move(rows)), at_(rows_.begin()) {}
    bool valid() const override { return at_ != rows_.end(); }
    void next() override { ++at_; }
    std::string_view key() const override { return at_->first; }
    std::string_view value() const override { return at_->second; }

   private:
    const Rows rows_;
    Rows::const_iterator at_;
  };
  std::vector<std::string> names_;
  std::vector<Rows> rows_;
};

}  // namespace weir
