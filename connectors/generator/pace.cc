#include "connectors/generator/pace.h"

#include <cmath>

namespace weir {

std::int64_t Pace::due(Duration now, std::int64_t most) {
  if (!rate_) return most;
  if (!start_) start_ = now;
  const double seconds = static_cast<double>((now - *start_).micros) / 1e6;
  double due = std::floor(seconds * *rate_) + 1 - static_cast<double>(made_);
  if (due > *rate_ + 1) {  // more than a second behind: begin anew, a second ago
    start_ = now - Duration::seconds(1);
    made_ = 0;
    due = std::floor(*rate_) + 1;
  }
  return due <= 0 ? 0 : static_cast<std::int64_t>(std::min(due, static_cast<double>(most)));
}

Duration Pace::until_next(Duration now) const {
  const auto at = static_cast<std::int64_t>(std::ceil(static_cast<double>(made_) / *rate_ * 1e6));
  return {std::max<std::int64_t>(start_->micros + at - now.micros, 1000)};
}

}  // namespace weir
