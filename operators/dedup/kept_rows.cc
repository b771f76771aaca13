#include "operators/dedup/kept_rows.h"

#include "runtime/base/error.h"

namespace weir {

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

WindowShape RememberedRows::pieces_of(const DedupPlan& plan) {
  constexpr std::int64_t kPieces = 4;  // more of them forget sooner, fewer are looked at
  const std::int64_t size = plan.within ? plan.within->micros / kPieces : 0;
  return WindowShape::tumbling({std::max<std::int64_t>(1, size)}, {0});
}

template <typename F>
void RememberedRows::each_piece(std::int64_t time, F&& visit) const {
  std::int64_t first, last;
  if (__builtin_sub_overflow(time, plan_.within->micros - 1, &first)) first = INT64_MIN;
  if (__builtin_add_overflow(time, plan_.within->micros - 1, &last)) last = INT64_MAX;
  last = pieces_of_time_.slice_end(last);
  for (std::int64_t end = pieces_of_time_.slice_end(first);; end = pieces_of_time_.slice_end(end)) {
    visit(window_name(end));
    if (end >= last) return;
  }
}

bool RememberedRows::near(const KeptRow& row, std::int64_t time) const {
  const __int128_t distance = static_cast<__int128_t>(row.time) - time;
  return distance < plan_.within->micros && -distance < plan_.within->micros;
}

void RememberedRows::on_watermark(Timestamp w) {
  if (!plan_.within || !watermark_.advance(w)) return;
  // Rows that come now are later than W, so what lies `within` before them is not needed.
  const __int128_t needed = static_cast<__int128_t>(w.micros) - plan_.within->micros;
  while (const std::optional<std::string> first = table_->first_window()) {
    if (window_time(*first) > needed + 2) return;
    table_->drop(*first);
  }
}

void RememberedRows::each(std::string_view key, std::uint64_t hash, std::int64_t time,
                          const std::function<void(const KeptRow&)>& visit) {
  if (!plan_.within) {
    if (const StateSlot* slot = table_->find({}, key, hash)) visit(values_.at(*slot));
    return;
  }
  each_piece(time, [&](const std::string& piece) {
    const StateSlot* slot = table_->find(piece, key, hash);
    if (slot && near(values_.at(*slot), time)) visit(values_.at(*slot));
  });
}

bool RememberedRows::any(std::string_view key, std::uint64_t hash, std::int64_t time) {
  bool found = false;
  each(key, hash, time, [&](const KeptRow&) { found = true; });
  return found;
}

void RememberedRows::forget(std::string_view key, std::uint64_t hash, std::int64_t time) {
  if (!plan_.within) return table_->erase({}, key);
  each_piece(time, [&](const std::string& piece) {
    const StateSlot* slot = table_->find(piece, key, hash);
    if (slot && near(values_.at(*slot), time)) table_->erase(piece, key);
  });
}

KeptRow& RememberedRows::keep(std::string_view key, std::uint64_t hash, std::int64_t time) {
  if (!plan_.within) return values_.at(table_->touch({}, key, hash).slot);
  KeptRow& row = values_.at(table_->touch(window_name(pieces_of_time_.slice_end(time)), key, hash).slot);
  row.time = time;
  return row;
}

}  // namespace weir
