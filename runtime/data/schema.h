#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/data/type.h"

namespace weir {

/// The columns of a stream. Immutable once shared.
class Schema {
 public:
  Schema() = default;
  explicit Schema(std::vector<Field> fields) : fields_(std::move(fields)) {}

  const std::vector<Field>& fields() const { return fields_; }
  int size() const { return static_cast<int>(fields_.size()); }
  const Field& operator[](int i) const { return fields_[static_cast<std::size_t>(i)]; }
  /// The column of exactly this name.
  std::optional<int> find(std::string_view name) const;

  /// The column that holds the event time (a timestamp), if the stream has one.
  std::optional<int> event_time() const { return event_time_; }
  void set_event_time(std::optional<int> column) { event_time_ = column; }
  /// True if batches of this stream carry row kinds (+I, -U, +U, -D).
  bool changelog() const { return changelog_; }
  void set_changelog(bool on) { changelog_ = on; }
  /// The keys of a changelog, each a set of columns (ascending): at any time no two rows of its result are alike in all
  /// columns of a key, and the changes of rows that are alike in them come from one task, in order. None: not known; one
  /// without columns: the result is one row.
  const std::vector<std::vector<int>>& keys() const { return keys_; }
  void set_keys(std::vector<std::vector<int>> keys) { keys_ = std::move(keys); }

  bool operator==(const Schema&) const = default;

 private:
  std::vector<Field> fields_;
  std::optional<int> event_time_;
  bool changelog_ = false;
  std::vector<std::vector<int>> keys_;
};

using SchemaPtr = std::shared_ptr<const Schema>;

}  // namespace weir
