#include "operators/session_timers.h"

#include "runtime/data/row_values.h"
#include "runtime/state/row_codec.h"
#include "runtime/state/window_scan.h"

namespace weir {
namespace {

/// So much of the gap is a piece of time. The timers of one piece are in memory in order; each piece that is there costs about a
/// kilobyte.
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

SessionTimers::SessionTimers(std::int64_t gap)
    : pieces_of_time_(WindowShape::tumbling({piece_of(gap)}, {0})) {}

void SessionTimers::open(const TaskContext& task) {
  table_.open(task, "timers", window_name(0).size(), times_);
  for (const std::string& name : table_->windows()) pieces_.insert(window_time(name));
}

void SessionTimers::add(std::int64_t due, std::string_view key) {
  const std::int64_t piece = pieces_of_time_.slice_end(due);
  if (piece != named_ || name_.empty()) {
    named_ = piece;
    name_ = window_name(piece);
    pieces_.insert(piece);
  }
  const StateTable::Touched timer = table_->touch(name_, key);
  // An earlier timer of the key in this piece stays written down; it may have been taken already.
  if (timer.created || due < times_.at(timer.slot)) times_.at(timer.slot) = due;
  if (loaded_ == piece) order_.push({due, std::string(key)});
}

void SessionTimers::load(std::int64_t piece) {
  loaded_ = piece;
  for (WindowScan scan(*table_, window_name(piece)); scan.valid(); scan.next())
    order_.push({times_.at(scan.slot()), std::string(scan.key())});
}

std::optional<std::int64_t> SessionTimers::take(std::int64_t watermark, std::vector<SessionTimer>& due) {
  if (pieces_.empty()) return std::nullopt;
  const std::int64_t piece = *pieces_.begin();
  const bool endless = piece == INT64_MAX;  // holds also what is due then
  const bool whole = watermark >= (endless ? piece : piece - 2);
  const std::int64_t until = whole ? piece - (endless ? 0 : 1) : watermark + 1;
  if (until < pieces_of_time_.window_start(piece)) return std::nullopt;
  if (loaded_ != piece) load(piece);
  const auto next_is_due = [&] { return !order_.empty() && order_.top().due <= until; };
  if (!whole && !next_is_due()) return std::nullopt;
  for (; next_is_due() && (due.size() < kTaken || order_.top().due == due.back().due); order_.pop()) due.push_back(order_.top());
  const std::int64_t taken_until = next_is_due() ? due.back().due : until;
  if (whole && taken_until == until) {
    table_->drop(window_name(piece));
    pieces_.erase(piece);
    loaded_.reset();
    name_.clear();
  }
  std::sort(due.begin(), due.end(), [](const SessionTimer& a, const SessionTimer& b) { return a.key < b.key; });
  due.erase(std::unique(due.begin(), due.end(), [](const SessionTimer& a, const SessionTimer& b) { return a.key == b.key; }), due.end());
  return taken_until;
}

}  // namespace weir
