#include "operators/kept_rows.h"

#include "operators/window_shape.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

/// A piece of time is this part of `within`: more pieces forget sooner, fewer are looked at.
constexpr std::int64_t kPieces = 4;

}  // namespace

void KeptRows::encode(StateSlot slot, std::string& out) const {
  const KeptRow& row = at(slot);
  if (!times_ && !bytes_) return;
  RowWriter writer(out, (times_ ? 1 : 0) + (bytes_ ? 1 : 0));
  if (times_) writer.integer(row.time);
  if (!bytes_) return;
  writer.row();
  out += row.bytes;
}

void KeptRows::decode(StateSlot slot, std::string_view bytes) {
  KeptRow& row = at(slot);
  row = {};
  if (!times_ && !bytes_) return;
  RowReader reader(bytes, (times_ ? 1 : 0) + (bytes_ ? 1 : 0));
  if (times_ && !reader.null()) row.time = reader.integer();
  row.bytes = bytes;
}

void RememberedRows::open(const TaskContext& task) {
  table_.open(task, "rows", plan_.within ? window_name(0).size() : 0, values_);
  if (!plan_.within) return;
  finite_ = task.restored_watermark();
  watermark_ = finite_.micros;
  for (const std::string& name : table_->windows()) pieces_[window_time(name)] = name;
}

std::int64_t RememberedRows::piece_end(std::int64_t time) const {
  const std::int64_t size = std::max<std::int64_t>(1, plan_.within->micros / kPieces);
  return WindowShape::tumbling({size}, {0}).slice_end(time);
}

bool RememberedRows::near(const KeptRow& row, std::int64_t time) const {
  const __int128_t distance = static_cast<__int128_t>(row.time) - time;
  return distance < plan_.within->micros && -distance < plan_.within->micros;
}

void RememberedRows::on_watermark(Timestamp w) {
  if (!plan_.within || w.micros <= watermark_) return;
  watermark_ = w.micros;
  if (w != Timestamp::infinity()) finite_ = w;
  // Rows that come now are later than W, so what lies `within` before them is not needed.
  const __int128_t needed = static_cast<__int128_t>(watermark_) - plan_.within->micros;
  while (!pieces_.empty() && pieces_.begin()->first <= needed + 2) {
    table_->drop(pieces_.begin()->second);
    pieces_.erase(pieces_.begin());
  }
}

void RememberedRows::snapshot(TaskSnapshot& snapshot) {
  table_.snapshot(snapshot);
  if (finite_ != Timestamp::none()) snapshot.watermarks.push_back({plan_.step, finite_});
}

void RememberedRows::each(std::string_view key, std::uint64_t hash, std::int64_t time, const std::function<void(const KeptRow&)>& visit) {
  if (!plan_.within) {
    if (const StateSlot* slot = table_->find({}, key, hash)) visit(values_.at(*slot));
    return;
  }
  for (const auto& [end, name] : pieces_) {
    const StateSlot* slot = table_->find(name, key, hash);
    if (slot && near(values_.at(*slot), time)) visit(values_.at(*slot));
  }
}

bool RememberedRows::any(std::string_view key, std::uint64_t hash, std::int64_t time) {
  bool found = false;
  each(key, hash, time, [&](const KeptRow&) { found = true; });
  return found;
}

void RememberedRows::forget(std::string_view key, std::uint64_t hash, std::int64_t time) {
  if (!plan_.within) return table_->erase({}, key);
  for (const auto& [end, name] : pieces_) {
    const StateSlot* slot = table_->find(name, key, hash);
    if (slot && near(values_.at(*slot), time)) table_->erase(name, key);
  }
}

KeptRow& RememberedRows::keep(std::string_view key, std::uint64_t hash, std::int64_t time) {
  if (!plan_.within) return values_.at(table_->touch({}, key, hash).slot);
  const std::int64_t end = piece_end(time);
  const auto piece = pieces_.try_emplace(end, window_name(end)).first;
  KeptRow& row = values_.at(table_->touch(piece->second, key, hash).slot);
  row.time = time;
  return row;
}

}  // namespace weir
