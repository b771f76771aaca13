#pragma once
#include <functional>

#include "runtime/api/operator.h"
#include "runtime/base/error.h"

namespace weir {

/// Where a call that stopped half-way goes on. A call has a part that may stop and one behind it; the part that answered
/// kMore or kWait is called again by resume() until it is done.
class Resumable {
 public:
  using Part = std::function<Progress(Output&)>;

  /// To be returned by a call whose first part answered `first`; `again` continues that part, `then` comes behind it.
  Progress after(Progress first, Output& out, Part again, Part then = {}) {
    if (first == Progress::kDone) return then ? after(then(out), out, then) : Progress::kDone;
    again_ = std::move(again);
    then_ = std::move(then);
    return first;
  }
  /// Operator::resume().
  Progress resume(Output& out) {
    if (!again_) throw Error(Blame::kBug, "an operator that is not half-way was resumed");
    const Part again = std::exchange(again_, {});
    Part then = std::exchange(then_, {});
    return after(again(out), out, again, std::move(then));
  }

 private:
  Part again_, then_;
};

}  // namespace weir
