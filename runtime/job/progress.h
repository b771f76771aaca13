#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "runtime/base/time.h"
#include "runtime/exec/execution.h"
#include "runtime/graph/graph.h"

namespace weir {

/// Tells people how a job gets on: a line redrawn in place when standard error is a terminal, else a log line every 10 s.
/// Belongs to the control thread.
class ProgressReport {
 public:
  ProgressReport(const Graph& graph, const Execution& execution, const Clock& clock, bool quiet);
  ~ProgressReport();

  void on_checkpoint(std::uint64_t number) { checkpoint_ = number, checkpoint_at_ = clock_.steady(); }
  /// Called about twice a second.
  void update();
  /// Takes the line away, before other output.
  void clear();
  /// A last line: rows in and out, seconds, errors.
  std::string summary() const;

 private:
  struct Totals {
    std::uint64_t in = 0, out = 0, errors = 0, lag = 0;
  };
  Totals totals() const;
  std::string line(const Totals& now, double in_rate, double out_rate) const;

  const Graph& graph_;
  const Execution& execution_;
  const Clock& clock_;
  const bool quiet_;
  const bool terminal_;
  const Duration started_;
  Totals before_{};
  Duration before_at_{};
  std::uint64_t checkpoint_ = 0;
  Duration checkpoint_at_{};
  bool drawn_ = false;
};

}  // namespace weir
