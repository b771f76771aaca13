#pragma once
#include <cstdint>
#include <string_view>

#include "runtime/api/context.h"
#include "runtime/expr/expression.h"

namespace weir {

/// A seed that differs for every name, so that random() in two places gives independent numbers.
std::uint64_t mix_seed(std::uint64_t seed, std::string_view name);

/// What the expressions of one task may depend on beside the row. now() is the attempt's clock, read once for each batch;
/// the numbers of random() depend on run, step and task, so that they are not the same again after a restart.
class Evaluation {
 public:
  void open(const TaskContext& task);
  /// For the next batch.
  EvaluationContext next(std::int64_t rows);
  std::uint64_t seed() const { return seed_; }

 private:
  const Clock* clock_ = nullptr;
  std::uint64_t seed_ = 0;
  std::int64_t rows_ = 0;
};

}  // namespace weir
