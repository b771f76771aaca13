#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/data/column.h"
#include "runtime/data/key_codec.h"

namespace weir {

/// How a part of a suffix sorts.
struct SortOrder {
  bool descending = false;
  /// As in PostgreSQL null is above everything unless this says otherwise: last, but first in descending order.
  std::optional<bool> nulls_first{};

  bool has_nulls_first() const { return nulls_first.value_or(descending); }
  bool operator==(const SortOrder& other) const {
    return descending == other.descending && has_nulls_first() == other.has_nulls_first();
  }
  bool plain() const { return *this == SortOrder(); }
  /// `desc nulls last`; empty if plain.
  std::string text() const;
};

/// Suffixes of row sets as bytes that sort as they should: a time, a sequence number, a sort key. Part of the checkpoint
/// format.
///
/// A part is what EncodedKeys writes of a value; in descending order with all bits turned. Null is 02 as there where it
/// sorts behind the values, else 00; in descending order likewise turned: FD behind nothing, FF behind the values.
class SuffixCodec {
 public:
  struct Part {
    Type type;
    SortOrder order{};
  };
  explicit SuffixCodec(std::vector<Part> parts) : parts_(std::move(parts)), keys_(parts_.size()) {}

  /// Takes the columns, one for each part, of `rows` rows: then append() is asked for them.
  void take(std::span<const ColumnPtr> columns, std::int64_t rows);
  /// Appends the suffix of row i.
  void append(std::int64_t i, std::string& out) const;

  /// Appends the values of a suffix to `builders`, which say the types. Throws Error(kRefused) if the bytes are something
  /// else.
  static void decode(std::string_view suffix, std::span<const SortOrder> orders, std::span<ColumnBuilder> builders);

 private:
  const std::vector<Part> parts_;
  std::vector<EncodedKeys> keys_;  ///< of each part
};

}  // namespace weir
