#include <nlohmann/json.hpp>

#include "runtime/base/utf8.h"
#include "runtime/checkpoint/manifest.h"
#include "runtime/checkpoint/manifest_format.h"
#include "runtime/state/file_checksum.h"

namespace weir {
namespace {

using Json = nlohmann::ordered_json;

/// Text as JSON; bytes that are not UTF-8 as {"bytes": "c328"}.
Json text_json(const std::string& text) {
  if (first_invalid_utf8(text) == text.size()) return text;
  std::string hex;
  for (const unsigned char byte : text) hex += fmt::format("{:02x}", byte);
  return {{"bytes", hex}};
}

/// Microseconds; null for a watermark that is not there yet, "infinity" at the end of the input.
Json time_json(Timestamp time) {
  if (time == Timestamp::none()) return nullptr;
  if (time == Timestamp::infinity()) return "infinity";
  return time.micros;
}

Json optional_json(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); }

template <typename T, typename F>
Json list_json(const std::vector<T>& items, F&& item_json) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(item_json(item));
  return list;
}

Json split_json(const ManifestSplit& split) {
  const SplitState& s = split.state;
  return {{"topic", text_json(s.topic)},
          {"partition", s.partition},
          {"next", s.next},
          {"end", optional_json(s.end)},
          {"ended", s.ended},
          {"largest_time", s.largest_time ? time_json(*s.largest_time) : Json(nullptr)},
          {"fingerprint", text_json(s.fingerprint)},
          {"end_offset", optional_json(split.end_offset)},
          {"idle", split.idle}};
}

Json source_json(const ManifestSource& source) {
  return {{"name", text_json(source.name)},
          {"type", text_json(source.type)},
          {"watermark", time_json(source.watermark)},
          {"splits", list_json(source.splits, split_json)}};
}

Json step_json(const ManifestStep& step) {
  const auto table_json = [](const ManifestTable& t) {
    return Json{{"name", text_json(t.name)}, {"schema", text_json(t.schema)}, {"rows", t.rows}, {"bytes", t.bytes}};
  };
  return {{"name", text_json(step.name)},
          {"watermark", time_json(step.watermark)},
          {"tables", list_json(step.tables, table_json)}};
}

Json sink_json(const ManifestSink& s) {
  return {{"name", text_json(s.name)},
          {"type", text_json(s.type)},
          {"guarantee", text_json(s.guarantee)},
          {"lane", text_json(s.lane)}};
}

Json name_json(const std::optional<CheckpointName>& name) {
  if (!name) return nullptr;
  return {{"id", name->id.value}, {"run", text_json(name->run.value)}, {"job", text_json(name->job)}};
}

Json last_marker_json(const std::optional<LastMarker>& last) {
  if (!last) return nullptr;
  return {{"authority", text_json(last->authority)},
          {"id", last->marker.epoch.value},
          {"run", text_json(last->marker.run.value)}};
}

Json commits_json(const std::optional<CommitFigures>& f) {
  if (!f) return nullptr;
  return {{"committed", f->committed},
          {"aborted", f->aborted},
          {"last_commit", f->last_commit.micros},
          {"uncommitted", f->uncommitted.micros},
          {"timeout", f->timeout.micros}};
}

Json file_json(const ManifestFile& f) { return {{"path", text_json(f.path)}, {"size", f.size}, {"checksum", f.checksum}}; }

Json part_json(const PendingPart& p) { return {{"pending", text_json(p.pending)}, {"final", text_json(p.final)}}; }

Json manifest_json(const Manifest& m) {
  return {{"format", kManifestFormat},
          {"job", text_json(m.job)},
          {"id", m.id.value},
          {"run", text_json(m.run.value)},
          {"authority", text_json(m.authority)},
          {"at", m.at.micros},
          {"weir_version", text_json(m.weir_version)},
          {"pipeline_hash", text_json(m.pipeline_hash)},
          {"parallelism", m.parallelism},
          {"claim", m.claim},
          {"finished", m.finished},
          {"restored_from", name_json(m.restored_from)},
          {"origin", name_json(m.origin)},
          {"last_marker", last_marker_json(m.last_marker)},
          {"sources", list_json(m.sources, source_json)},
          {"steps", list_json(m.steps, step_json)},
          {"finished_steps", list_json(m.finished_steps, text_json)},
          {"dropped_steps", list_json(m.dropped_steps, text_json)},
          {"sinks", list_json(m.sinks, sink_json)},
          {"parts", list_json(m.parts, part_json)},
          {"files", list_json(m.files, file_json)},
          {"commits", commits_json(m.commits)},
          {"duration_ms", m.duration_ms},
          {"bytes", m.bytes}};
}

}  // namespace

std::optional<std::int64_t> ManifestSplit::lag() const {
  if (!end_offset) return std::nullopt;
  return *end_offset > state.next ? *end_offset - state.next : 0;
}

std::string held_back_by(const std::vector<const ManifestSource*>& sources, Duration least) {
  const ManifestSplit* slowest = nullptr;
  std::string of;
  std::optional<Timestamp> furthest;
  for (const ManifestSource* source : sources)
    for (const ManifestSplit& s : source->splits) {
      furthest = std::max(furthest, s.state.largest_time);
      if (s.idle || s.state.ended || (slowest && s.state.largest_time >= slowest->state.largest_time)) continue;
      slowest = &s;
      of = sources.size() > 1 ? source->name + " " : "";
    }
  if (!slowest || !furthest) return "";
  of += slowest->state.label();
  if (!slowest->state.largest_time) return of + ", which has no rows yet";
  const Duration behind = *furthest - *slowest->state.largest_time;
  return behind < least ? "" : fmt::format("{}, {} behind", of, rough_duration(behind));
}

std::string ManifestSource::held_back_by(Duration least) const { return weir::held_back_by({this}, least); }

std::string manifest_text(const Manifest& manifest) {
  std::string text = manifest_json(manifest).dump(1);
  text.resize(text.size() - kManifestEnd.size());
  const std::string checksum = FileChecksum::of(text);
  return text.append(kChecksumBegin).append(checksum).append(kChecksumEnd);
}

}  // namespace weir
