#include "runtime/job/split_discovery.h"

#include <spdlog/spdlog.h>

#include "runtime/base/error.h"

namespace weir {
namespace {

constexpr Duration kLongestWait = Duration::seconds(60);

}  // namespace

std::vector<SplitState> add_unknown(std::vector<SplitState>& known, std::vector<SplitState> found) {
  std::vector<SplitState> added;
  for (SplitState& split : found) {
    if (std::any_of(known.begin(), known.end(), [&](const SplitState& k) { return k.same_split(split); })) continue;
    known.push_back(split);
    added.push_back(std::move(split));
  }
  return added;
}

SplitDiscovery::SplitDiscovery(Source source, BlockingPool& pool, const ControlLoop::Lease& lease)
    : source_(std::move(source)), pool_(pool), lease_(lease) {
  arm();
}

Duration next_wait(Duration interval, int failures) {
  const Duration most = std::max(interval, kLongestWait);
  Duration wait = interval;
  while (failures-- > 0 && wait < most) wait = std::min(Duration{wait.micros * 2}, most);
  return wait;
}

void SplitDiscovery::arm() {
  lease_.after(next_wait(source_.enumerator.interval(), failures_), [this] { look(); });
}

void SplitDiscovery::look() {
  if (stopped_) return;
  pool_.run([this, known = source_.known] {
    std::optional<std::vector<SplitState>> found;
    try {
      found = source_.enumerator.discover(known);
    } catch (const Error& e) {
      spdlog::warn("source {}: looking for new partitions failed: {}", source_.name, e.what());
    }
    lease_.post([this, found = std::move(found)]() mutable { take(std::move(found)); });
  });
}

void SplitDiscovery::take(std::optional<std::vector<SplitState>> found) {
  failures_ = found ? 0 : failures_ + 1;
  const std::vector<SplitState> added = add_unknown(source_.known, found ? std::move(*found) : std::vector<SplitState>());
  for (const SplitState& split : added) spdlog::info("source {}: found {}", source_.name, split.label());
  if (!added.empty()) source_.add(added);
  arm();
}

}  // namespace weir
