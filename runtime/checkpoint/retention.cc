#include "runtime/checkpoint/retention.h"

#include "runtime/base/error.h"

namespace weir {
namespace {

/// True if a newer claim among `committed` goes back to the same checkpoint as the claim at `i`.
bool has_newer_claim(std::span<const RetainedCheckpoint> committed, std::size_t i) {
  for (std::size_t k = i + 1; k < committed.size(); ++k)
    if (committed[k].claim && committed[k].origin == committed[i].origin) return true;
  return false;
}

/// The oldest checkpoint that `retain` keeps; 0 if all are kept.
Epoch oldest_kept(std::span<const RetainedCheckpoint> committed, int retain) {
  if (committed.back().claim) return {};
  for (std::size_t i = committed.size(); i-- > 0;)
    if (!committed[i].claim && --retain <= 0) return committed[i].epoch;
  return {};
}

}  // namespace

RetainedCheckpoint retained_checkpoint(const CheckpointEntry& entry) {
  try {
    const Manifest manifest = read_checkpoint(entry.path);
    return {entry.epoch, manifest.claim, manifest.origin};
  } catch (const Error&) {
    return {entry.epoch, true, CheckpointName{entry.epoch, {}, {}}};
  }
}

std::vector<Epoch> expired_checkpoints(std::span<const RetainedCheckpoint> committed, int retain) {
  std::vector<Epoch> expired;
  if (committed.empty()) return expired;
  const Epoch oldest = oldest_kept(committed, retain);
  for (std::size_t i = 0; i + 1 < committed.size(); ++i)
    if (committed[i].epoch < oldest || (committed[i].claim && has_newer_claim(committed, i)))
      expired.push_back(committed[i].epoch);
  return expired;
}

}  // namespace weir
