#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/api/operator.h"
#include "runtime/config/diagnostics.h"
#include "runtime/state/row_codec.h"

namespace weir {

/// A column or expression by which a step tells rows apart.
struct KeyPart {
  Field field;                  ///< its name and type in tables and results
  std::optional<int> column{};  ///< of the input; none where it is computed
  ExpressionPtr expression{};   ///< the same as an expression; may be missing where `column` is there
};

/// What a keyed step knows its rows by. How rows get to its tasks, the keys of its tables and the keys of a batch all come
/// from this one value, so they cannot differ.
class KeyBy {
 public:
  void add(KeyPart part) { parts_.push_back(std::move(part)); }
  const std::vector<KeyPart>& parts() const { return parts_; }
  std::size_t size() const { return parts_.size(); }
  bool has(std::string_view name) const;

  /// By the key group of all parts; without parts all rows go to one task.
  Exchange exchange() const;
  std::vector<Field> fields() const;
  /// The parts of each row. Rows for which one fails are added to `errors`.
  std::vector<ColumnPtr> evaluate(const RecordBatch& batch, const EvaluationContext& context,
                                  std::vector<RowError>& errors) const;

 private:
  std::vector<KeyPart> parts_;
};

/// A column named in a YAML position as a part of a key; unknown ones are reported.
std::optional<KeyPart> bind_key_column(const Text& name, const Schema& input, Diagnostics& diagnostics);

/// The keys of the rows of a batch with their hashes, kept from batch to batch for their memory.
class BatchKeys {
 public:
  void encode(std::span<const ColumnPtr> parts, std::int64_t rows);
  std::string_view operator[](std::int64_t row) const { return keys_[row]; }
  std::uint64_t hash(std::int64_t row) const { return hashes_[static_cast<std::size_t>(row)]; }
  const std::vector<std::uint64_t>& hashes() const { return hashes_; }

 private:
  EncodedKeys keys_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace weir
