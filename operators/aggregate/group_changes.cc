#include "operators/aggregate/group_changes.h"

#include "runtime/data/key_codec.h"
#include "runtime/data/row_values.h"

namespace weir {
namespace {

/// Also in form: a row that changes from `1 mon` to `30 days` shows, and is taken back as it came out.
bool same(const RecordBatch& batch, std::int32_t a, std::int32_t b) {
  std::string was, is;
  for (const ColumnPtr& c : batch.columns()) {
    if (!same_value(*c, a, *c, b)) return false;
    if (!has_several_forms(c->type())) continue;
    was.clear(), is.clear();
    RowWriter(was, 1).value(*c, a);
    RowWriter(is, 1).value(*c, b);
    if (was != is) return false;
  }
  return true;
}

}  // namespace

bool GroupChanges::emit(Evaluation& evaluation, TaskCounters& counters, Output& out) {
  if (changes_.empty()) return true;
  if (emitted_ && out.full()) return false;
  emitted_ = true;
  AggregateOutput::Made made = output_.make(evaluation.next(output_.size()));
  std::vector<bool> failed(static_cast<std::size_t>(made.output->rows()));
  for (const RowError& e : made.errors) failed[static_cast<std::size_t>(e.row)] = true;
  report_failures(made, counters, out);
  const auto there = [&](std::int32_t row) { return row >= 0 && !failed[static_cast<std::size_t>(row)]; };
  std::vector<std::int32_t> rows;
  std::vector<RowKind> kinds;
  const auto hand_on = [&](std::int32_t row, RowKind kind) {
    rows.push_back(row);
    kinds.push_back(kind);
  };
  for (const auto& [before, after] : changes_) {
    if (there(before) && there(after)) {
      if (same(*made.output, before, after)) continue;
      hand_on(before, RowKind::kUpdateBefore);
      hand_on(after, RowKind::kUpdateAfter);
    } else if (there(after)) {
      hand_on(after, RowKind::kInsert);
    } else if (there(before)) {
      hand_on(before, RowKind::kDelete);
    }
  }
  changes_.clear();
  if (rows.empty()) return true;
  const auto size = static_cast<std::int64_t>(rows.size());
  out.emit(kAggregatedPort,
           std::make_shared<const RecordBatch>(plan_.output, take(*made.output, rows)->columns(), size, std::move(kinds)));
  return true;
}

/// Only rows that are new; the others were reported when they were.
void GroupChanges::report_failures(AggregateOutput::Made& made, TaskCounters& counters, Output& out) const {
  if (made.errors.empty()) return;
  std::vector<bool> is_new(static_cast<std::size_t>(made.output->rows()));
  for (const Change& c : changes_)
    if (c.after >= 0) is_new[static_cast<std::size_t>(c.after)] = true;
  std::erase_if(made.errors, [&](const RowError& e) { return !is_new[static_cast<std::size_t>(e.row)]; });
  handle_row_errors(plan_.on_error, plan_.step, *made.results, made.errors, errors_port(plan_), counters, out);
}

}  // namespace weir
