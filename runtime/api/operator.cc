#include "runtime/api/operator.h"

#include "runtime/base/error.h"

namespace weir {

Progress Operator::on_watermark(Timestamp, Output&) { return Progress::kDone; }
Progress Operator::on_input_end(int, Output&) { return Progress::kDone; }
Progress Operator::on_end(Output&) { return Progress::kDone; }
Progress Operator::on_wake(Output&) { return Progress::kDone; }
Progress Operator::on_barrier(Epoch, Output&) { return Progress::kDone; }
Progress Operator::resume(Output&) { throw Error(Blame::kBug, "an operator that never stops half-way was resumed"); }
void Operator::snapshot(TaskSnapshot&) {}
void Operator::on_committed(Epoch) {}

}  // namespace weir
