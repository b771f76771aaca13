#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "runtime/api/operator.h"

namespace weir {

/// What comes in an input of an operator: rows, a watermark, or that it is idle or ends while another is open.
struct Given {
  BatchPtr rows;  ///< null: something else
  int input = 0;
  Timestamp watermark{};
  bool ends = false, idle = false;
};

/// All rows that were emitted, by the name of the port, in order, as rows_of() writes them.
using EmittedRows = std::map<std::string, std::vector<std::string>>;

/// Runs a step's operators through what a task may do to them, and returns what they emitted. Throws std::runtime_error that
/// says in which way of running it was found
///   when the rows differ between: batches as given, cut to 1024, 3 and 1 rows; an output that is never full and one that is
///   full every other time it is asked; one instance for all, with barriers between any two inputs that are committed one
///   input later, and a barrier, a snapshot and a fresh instance with the state that was frozen between any two; when an
///   operator breaks the rules of operator.h: emits more than one batch a port without asking whether the output is full,
///   answers kMore though it was not, answers kWait and is not woken within 10 s, emits to a port that is not there or a
///   batch that does not fit the port's schema, or one of many more megabytes than it was given; when one call takes longer
///   than a second (under a sanitizer 20): it blocked; when a step with tables does not take its rows by hash of their key,
///   freezes a row that its declaration does not read or for another epoch than the barrier's, or ends before the delta in
///   flight is committed.
///
/// A sink's rows are compared by whoever calls this, after the last way.
EmittedRows run_hostile(const BoundStep& step, const std::vector<Given>& given);

/// The same for one input without watermarks.
EmittedRows run_hostile(const BoundStep& step, BatchPtr rows);

/// A table: its rows, and how often each is there.
using Table = std::map<std::string, int>;
/// What the rows of a port make when all their changes are applied. Throws std::runtime_error where a row is retracted that
/// is not there.
Table table_of(const std::vector<std::string>& rows);

/// The same for two inputs that mix in all orders, or by chance in many, each with both inputs open to the end, with one
/// ended first, and with one idle. Rows of an input that the operator does not want wait, but for those in front of a
/// barrier. Returns the table that the first port makes, which must be the same in all of them. Watermarks are each input's
/// own; operators get the merged one.
Table run_interleaved(const BoundStep& step, const std::array<std::vector<Given>, 2>& inputs);

}  // namespace weir
