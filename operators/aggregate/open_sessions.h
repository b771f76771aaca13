#pragma once
#include <string>
#include <utility>
#include <vector>

#include "operators/aggregate/session_rows.h"
#include "runtime/state/state_table.h"

namespace weir {

/// The sessions that stay open when a watermark ends so many that memory does not hold a tombstone for each: the table is
/// dropped as one then, and these are written again.
class OpenSessions {
 public:
  /// Looks at all keys of the table, and copies those with a session that ends after `until`. False, without any, if they
  /// take more than `most_bytes`.
  bool collect(StateTable& table, const SessionRows& values, std::int64_t until, std::uint64_t most_bytes);
  /// Drops the table, and writes what is open; `written` gets each key with the end of its first session.
  template <typename F>
  void replace(StateTable& table, SessionRows& values, F&& written) {
    table.drop({});
    for (const auto& [key, bytes] : std::exchange(keys_, {})) written(key, write(table, values, key, bytes));
  }

 private:
  std::int64_t write(StateTable& table, SessionRows& values, const std::string& key, std::string_view bytes) const;

  std::int64_t until_ = 0;
  std::vector<std::pair<std::string, std::string>> keys_;  ///< and their sessions as on the disk, those that ended too
};

}  // namespace weir
