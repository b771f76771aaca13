#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "runtime/api/commit_authority.h"
#include "runtime/base/time.h"
#include "runtime/checkpoint/manifest.h"
#include "runtime/exec/execution.h"
#include "runtime/graph/graph.h"

namespace weir {

/// Tells people how a job gets on: a line redrawn in place when standard error is a terminal, else a log line every 10 s.
/// Belongs to the control thread.
class ProgressReport {
 public:
  ProgressReport(const Graph& graph, const Execution& execution, const CommitAuthority& authority, const Clock& clock,
                 bool quiet);
  ~ProgressReport();

  void on_checkpoint(const Manifest& checkpoint);
  /// Called about twice a second.
  void update();
  /// Takes the line away, before other output.
  void clear();
  /// A last line: rows that sources read, rows that sinks wrote, errors, late rows by step, seconds.
  std::string summary() const;

 private:
  struct Totals {
    std::uint64_t in = 0, out = 0, errors = 0, late = 0, lag = 0;
    std::map<std::string, std::uint64_t> own;  ///< counters of steps, by name
  };
  Totals totals() const;
  static std::vector<std::vector<std::string>> sources_together(const Graph& graph);
  std::string late_text() const;
  std::string line(const Totals& now, double in_rate, double out_rate) const;

  const Graph& graph_;
  const Execution& execution_;
  const CommitAuthority& authority_;
  const Clock& clock_;
  const bool quiet_;
  const bool terminal_;
  const std::vector<std::vector<std::string>> together_;
  const Duration started_;
  Totals before_{};
  Duration before_at_{};
  std::uint64_t checkpoint_ = 0;
  Duration checkpoint_at_{};
  std::string held_back_;  ///< what held back a watermark at the checkpoint
  bool drawn_ = false;
};

}  // namespace weir
