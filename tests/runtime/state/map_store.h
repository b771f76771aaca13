#pragma once
#include <map>
#include <memory>

#include "runtime/state/state_store.h"

namespace weir {

/// A store in memory: what RocksDB should do, written down plainly.
class MapStore final : public StateStore {
 public:
  using Rows = std::map<std::string, std::string, std::less<>>;
  explicit MapStore(std::vector<std::string> tables = {"step/rows"}) : names_(std::move(tables)) {
    for (std::size_t i = 0; i < names_.size(); ++i) rows_.push_back(std::make_shared<Rows>());
  }

  const std::vector<std::string>& tables() const override { return names_; }
  bool get(StateTableId table, std::string_view key, std::string& value) const override {
    const auto found = rows(table).find(key);
    if (found == rows(table).end()) return false;
    value = found->second;
    return true;
  }
  std::unique_ptr<StateCursor> scan(StateTableId table, std::string_view begin, std::string_view end) const override {
    return std::make_unique<Cursor>(rows_[table.value], begin, end);
  }
  Size size(StateTableId table) const override { return {rows(table).size(), 0}; }
  void ingest(const EpochDelta& delta) override {
    for (std::size_t t = 0; t < delta.tables.size(); ++t) {
      if (rows_[t].use_count() > 1) rows_[t] = std::make_shared<Rows>(*rows_[t]);  // cursors keep what they see
      Rows& rows = *rows_[t];
      for (const TableDelta& d : delta.tables[t])
        for (const auto& range : d.ranges()) rows.erase(rows.lower_bound(range.begin), rows.lower_bound(range.end));
      for (const TableDelta& d : delta.tables[t])
        for (std::size_t i = 0; i < d.size(); ++i) {
          if (d.at(i).value) rows.insert_or_assign(std::string(d.at(i).key), std::string(*d.at(i).value));
          else rows.erase(std::string(d.at(i).key));
        }
    }
  }
  std::vector<StateFile> checkpoint(const std::filesystem::path&) override { return {}; }
  const Rows& rows(StateTableId table) const { return *rows_[table.value]; }

 private:
  class Cursor final : public StateCursor {
   public:
    Cursor(std::shared_ptr<const Rows> rows, std::string_view begin, std::string_view end)
        : rows_(std::move(rows)),
          at_(rows_->lower_bound(begin)),
          end_(end.empty() ? rows_->end() : rows_->lower_bound(end)) {}
    bool valid() const override { return at_ != end_; }
    void next() override { ++at_; }
    std::string_view key() const override { return at_->first; }
    std::string_view value() const override { return at_->second; }

   private:
    const std::shared_ptr<const Rows> rows_;
    Rows::const_iterator at_, end_;
  };
  std::vector<std::string> names_;
  std::vector<std::shared_ptr<Rows>> rows_;
};

}  // namespace weir
