#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "runtime/api/source.h"
#include "tests/support/test_task.h"

namespace weir {

/// Collects what a reader hands on, and checks the rules of SourceOutput: batches are not empty.
class CollectedRows final : public SourceOutput {
 public:
  void emit(const SplitState& split, BatchPtr batch) override;
  void emit_errors(BatchPtr batch) override;
  void caught_up(const SplitState&) override { ++caught_up_calls; }

  std::vector<std::string> rows;    ///< as rows_of() writes them
  std::vector<std::string> errors;  ///< likewise
  std::vector<BatchPtr> batches;
  int caught_up_calls = 0;
};

/// Polls until the reader answers kEndOfInput, waiting for the waker where nothing is available. Where the reader asked for
/// a timer the attempt's clock is moved on. Throws std::runtime_error when a poll takes more than a second or it is not
/// woken for 10 s.
void read_to_end(SourceReader& reader, TestAttempt& attempt, TestTask& task, CollectedRows& out);
/// Polls once, having waited as often as nothing was available.
InputStatus poll_something(SourceReader& reader, TestAttempt& attempt, TestTask& task, CollectedRows& out);

/// Discovers the splits of a source and reads them to the end in one task.
CollectedRows read_all(const BoundSource& source, TestAttempt& attempt);

}  // namespace weir
