#pragma once
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "runtime/expr/expression.h"
#include "runtime/expr/program/values.h"

namespace weir::expr {

/// Bytes of texts made during an evaluation; freed all at once.
class TextArena {
 public:
  /// Room for `n` bytes, valid until the arena goes.
  char* reserve(std::size_t n) {
    if (n > left_) grow(n);
    return next_;
  }
  /// Makes the first `n` of the reserved bytes a text.
  std::string_view keep(std::size_t n) {
    const std::string_view text(next_, n);
    next_ += n;
    left_ -= n;
    return text;
  }
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {"", 0};
    std::memcpy(reserve(text.size()), text.data(), text.size());
    return keep(text.size());
  }

 private:
  void grow(std::size_t n) {
    const std::size_t size = std::max<std::size_t>(n, chunks_.empty() ? 16 * 1024 : 256 * 1024);
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    next_ = chunks_.back().get();
    left_ = size;
  }
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

/// All that one evaluation of a program over one batch has: its input, its errors, its memory. On the stack of the caller.
struct Frame {
  const RecordBatch& batch;
  const EvaluationContext& context;
  std::vector<RowError>& errors;
  TextArena arena;
  std::vector<Values> slots;    ///< values bound by LetNode, by slot number
  std::vector<ColumnPtr> kept;  ///< columns that texts and nested values point into

  void fail(std::int32_t row, std::string reason) { errors.push_back({row, std::move(reason)}); }
};

}  // namespace weir::expr
