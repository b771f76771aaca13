#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operators/aggregate/aggregate_rows.h"
#include "runtime/state/window_scan.h"

namespace weir {

/// Walks over groups by key group and then by key, each with its accumulators. What it gives holds until next().
class GroupCursor {
 public:
  virtual ~GroupCursor() = default;
  virtual bool valid() const = 0;
  virtual void next() = 0;
  virtual std::uint8_t group() const = 0;
  virtual std::string_view key() const = 0;
  virtual const std::byte* accumulators() const = 0;
};

/// The groups of one slice, from a table.
class SliceCursor final : public GroupCursor {
 public:
  SliceCursor(StateTable& table, std::string_view name, const AggregateRows& values) : scan_(table, name), values_(values) {}
  bool valid() const override { return scan_.valid(); }
  void next() override { scan_.next(); }
  std::uint8_t group() const override { return scan_.group(); }
  std::string_view key() const override { return scan_.key(); }
  const std::byte* accumulators() const override { return values_.row(scan_.slot()); }

 private:
  WindowScan scan_;
  const AggregateRows& values_;
};

/// The groups of several cursors, each group once, with what they hold of it merged in the order in which they were added:
/// sums of doubles, which are rounded, come out the same every time.
class SliceMerge final : public GroupCursor {
 public:
  explicit SliceMerge(const AggregateCalls& calls) : calls_(calls), merged_(calls.row_size() / 16 + 1) {}
  ~SliceMerge() override { calls_.clear(merged()); }
  SliceMerge(const SliceMerge&) = delete;
  SliceMerge& operator=(const SliceMerge&) = delete;

  /// Forgets the cursors.
  void clear();
  void add(std::unique_ptr<GroupCursor> cursor);
  /// Goes to the first group. Call it when all cursors are added.
  void begin();

  bool valid() const override { return valid_; }
  void next() override;
  std::uint8_t group() const override { return group_; }
  std::string_view key() const override { return key_; }
  const std::byte* accumulators() const override { return row_; }

 private:
  struct Source {
    std::unique_ptr<GroupCursor> cursor;
    std::size_t number;
  };
  static bool later(const Source& a, const Source& b);
  std::byte* merged() { return reinterpret_cast<std::byte*>(merged_.data()); }
  void advance();
  void find();

  const AggregateCalls& calls_;
  std::vector<Source> sources_;  ///< a heap
  std::vector<AccumulatorBytes> merged_;
  bool valid_ = false;
  const std::byte* row_ = nullptr;  ///< merged_, or of the only source, which still stands there
  std::uint8_t group_ = 0;
  std::string own_key_;
  std::string_view key_;
};

/// What neighbouring slices hold together, in memory. Immutable.
class SliceRun {
 public:
  /// Takes all groups of a cursor; nothing if they need more than `most` bytes.
  static std::shared_ptr<const SliceRun> of(const AggregateCalls& calls, GroupCursor& groups, std::size_t most);
  ~SliceRun();
  SliceRun(const SliceRun&) = delete;
  SliceRun& operator=(const SliceRun&) = delete;

  std::size_t bytes() const { return bytes_; }
  std::size_t size() const { return groups_.size(); }
  std::uint8_t group(std::size_t i) const { return groups_[i]; }
  std::string_view key(std::size_t i) const {
    return std::string_view(keys_).substr(i ? ends_[i - 1] : 0, ends_[i] - (i ? ends_[i - 1] : 0));
  }
  const std::byte* accumulators(std::size_t i) const {
    return reinterpret_cast<const std::byte*>(rows_.data() + i * row_pieces_);
  }

 private:
  explicit SliceRun(const AggregateCalls& calls)
      : calls_(calls), row_pieces_(std::max<std::size_t>(1, calls.row_size() / 16)) {}
  void append(const GroupCursor& group);

  const AggregateCalls& calls_;
  const std::size_t row_pieces_;
  std::string keys_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint8_t> groups_;
  std::vector<AccumulatorBytes> rows_;
  std::size_t bytes_ = 0;
};

class RunCursor final : public GroupCursor {
 public:
  explicit RunCursor(std::shared_ptr<const SliceRun> run) : run_(std::move(run)) {}
  bool valid() const override { return at_ < run_->size(); }
  void next() override { ++at_; }
  std::uint8_t group() const override { return run_->group(at_); }
  std::string_view key() const override { return run_->key(at_); }
  const std::byte* accumulators() const override { return run_->accumulators(at_); }

 private:
  std::shared_ptr<const SliceRun> run_;
  std::size_t at_ = 0;
};

}  // namespace weir
