#include "operators/aggregate/session_timers.h"

#include "runtime/data/row_values.h"
#include "runtime/state/row_codec.h"
#include "runtime/state/window_scan.h"

namespace weir {
namespace {

/// So much of the gap is a piece of time. The timers of one piece are in memory in order; each piece that is there costs
/// about a kilobyte.
std::int64_t piece_of(std::int64_t gap) {
  return std::max({std::int64_t{1}, std::min(gap / 16, Duration::seconds(60).micros), gap / 2048});
}

/// So many timers are taken at a time: their keys' sessions are in memory together.
constexpr std::size_t kTaken = 4096;

}  // namespace

void SessionTimers::Times::encode(StateSlot slot, std::string& out) const { RowWriter(out, 1).integer(at(slot)); }

void SessionTimers::Times::decode(StateSlot slot, std::string_view bytes) {
  RowReader reader(bytes, 1);
  at(slot) = reader.null() ? 0 : reader.integer();
}

SessionTimers::SessionTimers(std::int64_t gap, KeyedState& state)
    : pieces_of_time_(WindowShape::tumbling({piece_of(gap)}, {0})), table_(state, "timers", times_, sizeof(std::int64_t)) {}

void SessionTimers::open(const TaskContext& task) {
  constexpr std::size_t kFewest = 16, kBytes = 128;
  most_ = std::max(kFewest, task.attempt->memory / 16 / static_cast<std::size_t>(task.parallelism) / kBytes);
}

void SessionTimers::add(std::int64_t due, std::string_view key) {
  const std::int64_t piece = pieces_of_time_.slice_end(due);
  if (piece != named_ || name_.empty()) {
    named_ = piece;
    name_ = window_name(piece);
  }
  const StateTable::Touched timer = table_->touch(name_, key);
  std::int64_t& at = times_.at(timer.slot);
  // An earlier timer of the key in this piece stays, unless it was taken already.
  if (timer.created || due < at || (loaded_ == piece && at <= taken_until_)) at = due;
  if (loaded_ == piece && due <= known_until_) order_.push({due, std::string(key)});
}

/// Brings the next timers of the piece into order: the first ones of those that were not taken.
void SessionTimers::load_next() {
  std::vector<SessionTimer> found;
  found.reserve(2 * most_);  // or it would take twice as much while it grows
  known_until_ = INT64_MAX;
  std::size_t many = 2 * most_;
  const auto earlier = [](const SessionTimer& a, const SessionTimer& b) { return a.due < b.due; };
  for (WindowScan scan(*table_, window_name(*loaded_)); scan.valid(); scan.next()) {
    const std::int64_t due = times_.at(scan.slot());
    if (due <= taken_until_ || due > known_until_) continue;
    found.push_back({due, std::string(scan.key())});
    if (found.size() < many) continue;
    const auto last = found.begin() + static_cast<std::ptrdiff_t>(most_) - 1;
    std::nth_element(found.begin(), last, found.end(), earlier);
    known_until_ = last->due;
    std::erase_if(found, [&](const SessionTimer& t) { return t.due > known_until_; });
    many = std::max(many, 2 * found.size());  // all may be due together
  }
  order_ = decltype(order_)({}, std::move(found));
}

std::optional<std::int64_t> SessionTimers::take(std::int64_t watermark, std::vector<SessionTimer>& due) {
  if (!table_->first_window()) return std::nullopt;
  const std::int64_t piece = window_time(*table_->first_window());
  const bool endless = piece == INT64_MAX;  // holds also what is due then
  const std::int64_t last = piece - (endless ? 0 : 1);
  const bool whole = watermark >= last;
  const std::int64_t until = std::min(watermark, last);
  if (until < pieces_of_time_.window_start(piece)) return std::nullopt;
  if (loaded_ != piece) {
    loaded_ = piece;
    taken_until_ = INT64_MIN;
    load_next();
  } else if (order_.empty() && known_until_ < until) {
    load_next();
  }
  const auto next_is_due = [&] { return !order_.empty() && order_.top().due <= until; };
  if (!whole && !next_is_due()) return std::nullopt;
  for (; next_is_due() && (due.size() < kTaken || order_.top().due == due.back().due); order_.pop())
    due.push_back(order_.top());
  taken_until_ = next_is_due() ? due.back().due : std::min(until, known_until_);
  const std::int64_t taken_until = taken_until_;
  if (whole && taken_until == until) {
    table_->drop(window_name(piece));
    loaded_.reset();
    name_.clear();
  }
  std::sort(due.begin(), due.end(), [](const SessionTimer& a, const SessionTimer& b) { return a.key < b.key; });
  due.erase(std::unique(due.begin(), due.end(), [](const SessionTimer& a, const SessionTimer& b) { return a.key == b.key; }),
            due.end());
  return taken_until;
}

}  // namespace weir
