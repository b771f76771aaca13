#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "operators/key_by.h"
#include "operators/keyed_state.h"

namespace weir {

/// A keyed step in one value.
struct KeyedStep {
  std::vector<Port> ports;
  /// What rows are known by, for each input; those of several inputs have parts of the same types.
  std::vector<KeyBy> by;
  /// The key of each is `by`; `key` holds only what comes behind it, of row sets, with `orders`.
  std::vector<TableDeclaration> tables;
  std::vector<Duration> window_grains{};
  /// Makes the operator of a task, which holds a KeyedTable of the state for each declared table and is written as if they
  /// needed nothing else: freezing, waiting for commits and making room are done around it.
  std::function<std::unique_ptr<Operator>(KeyedState&)> make;
};

/// Binds a keyed step: its rows come by the hash of `by`, which is the key of its tables.
std::unique_ptr<BoundStep> keyed_step(KeyedStep step);

}  // namespace weir
