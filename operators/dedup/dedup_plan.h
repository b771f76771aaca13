#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operators/keyed_step.h"
#include "runtime/api/component.h"

namespace weir {

/// A dedup step, bound. Immutable; shared by its tasks.
struct DedupPlan {
  std::string step;
  OnError on_error = OnError::kFail;
  SchemaPtr input;
  KeyBy by;                          ///< columns
  bool last = false;                 ///< keep the last row of a key, else the first
  std::optional<Duration> within{};  ///< none: for ever
  int time = 0;                      ///< the input's event time column, with within
  SchemaPtr output;                  ///< the input's columns; with last a changelog
};

/// Where rows come out: late ones only with within.
constexpr int kKeptPort = 0, kDedupLatePort = 1;

/// The operator of a task, for the first or the last row of a key.
std::unique_ptr<Operator> make_dedup(std::shared_ptr<const DedupPlan> plan, KeyedState& state);

}  // namespace weir
