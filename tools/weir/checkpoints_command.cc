#include "tools/weir/checkpoints_command.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"
#include "runtime/base/printable.h"
#include "runtime/checkpoint/recovery.h"
#include "runtime/checkpoint/verify.h"
#include "runtime/state/row_count.h"
#include "tools/weir/guarantee_reason.h"
#include "tools/weir/state_rows.h"
#include "tools/weir/text_table.h"

namespace weir {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

std::string state_of(const FoundCheckpoint& c) {
  if (c.entry.state == CheckpointState::kPrepared) return "prepared";
  return c.manifest && c.manifest->finished ? "finished" : "committed";
}

/// Bytes on the disk: the files and the manifest.
std::uint64_t bytes_of(const FoundCheckpoint& c) {
  std::error_code error;
  const auto manifest = fs::file_size(c.entry.path / "manifest.json", error);
  return c.manifest->bytes + (error ? 0 : manifest);
}

Json time_json(Timestamp time) {
  if (time == Timestamp::none()) return nullptr;
  return time == Timestamp::infinity() ? "infinity" : format_iso(time);
}

std::string time_text(Timestamp time) {
  if (time == Timestamp::none()) return "none";
  return time == Timestamp::infinity() ? "infinity (the input ended)" : format_iso(time);
}

/// What `list` and `show` have in common.
Json summary_json(const FoundCheckpoint& c) {
  const Manifest& m = *c.manifest;
  return {{"job", m.job},           {"id", m.id.value},     {"run", m.run.value},           {"state", state_of(c)},
          {"at", format_iso(m.at)}, {"bytes", bytes_of(c)}, {"duration_ms", m.duration_ms}, {"authority", m.authority},
          {"claim", m.claim}};
}

Json sources_json(const Manifest& m) {
  Json sources = Json::object();
  for (const ManifestSource& source : m.sources) {
    Json splits = Json::array();
    for (const ManifestSplit& s : source.splits)
      splits.push_back({{"topic", s.state.topic},
                        {"partition", s.state.partition},
                        {"next_offset", s.state.next},
                        {"end_offset", s.end_offset ? Json(*s.end_offset) : Json(nullptr)},
                        {"lag", s.lag() ? Json(*s.lag()) : Json(nullptr)},
                        {"idle", s.idle}});
    Json& json =
        sources[source.name] = {{"type", source.type}, {"splits", splits}, {"watermark", time_json(source.watermark)}};
    if (const std::string slowest = source.held_back_by({}); !slowest.empty()) json["held_back_by"] = slowest;
  }
  return sources;
}

Json steps_json(const Manifest& m) {
  Json steps = Json::object();
  for (const ManifestStep& step : m.steps) {
    Json tables = Json::object();
    for (const ManifestTable& t : step.tables) {
      tables[t.name] = {{"rows", t.rows}, {"bytes", t.bytes}};
      if (t.rows > kCountedRows) tables[t.name]["rows_estimated"] = true;
    }
    steps[step.name] = {{"tables", tables}, {"watermark", time_json(step.watermark)}};
  }
  return steps;
}

Json sinks_json(const Manifest& m) {
  Json sinks = Json::object();
  for (const ManifestSink& sink : m.sinks) {
    Json& json = sinks[sink.name] = {{"type", sink.type}, {"guarantee", sink.guarantee}};
    if (!sink.lane.empty()) json["lane"] = sink.lane;
  }
  return sinks;
}

Json commits_json(const CommitFigures& f) {
  return {{"committed", f.committed},
          {"aborted", f.aborted},
          {"last_commit_ms", f.last_commit.micros / 1000},
          {"oldest_row_ms", f.uncommitted.micros / 1000},
          {"timeout_ms", f.timeout.micros / 1000}};
}

/// Prints JSON in one line; names that are not UTF-8 are made readable, not refused.
void print_json(std::FILE* out, const Json& json) {
  fmt::print(out, "{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// The checkpoints of a folder. A running job renames and deletes them while they are read: then the folder is read again.
std::vector<FoundCheckpoint> read_folder(const fs::path& dir) {
  for (int attempt = 0;; ++attempt) {
    std::vector<FoundCheckpoint> found = find_checkpoints(dir);
    const bool gone =
        std::any_of(found.begin(), found.end(), [](const auto& c) { return !c.manifest && !is_there(c.entry.path); });
    if (!gone) return found;
    if (attempt < 10) continue;
    std::erase_if(found, [](const auto& c) { return !is_there(c.entry.path); });
    return found;
  }
}

/// Refuses a folder that is not that of a job, with the folders that are.
void require_job_folder(const fs::path& dir) {
  if (!is_there(dir)) throw Error(Blame::kUser, fmt::format("there is no folder {}", dir.string()));
  if (!is_folder(dir)) throw Error(Blame::kUser, fmt::format("{} is not the folder of a job", dir.string()));
  if (is_there(dir / "LOCK") || !list_checkpoints(dir).empty()) return;
  if (is_there(dir / "manifest.json"))
    throw Error(Blame::kUser, fmt::format("{} is a checkpoint: see weir checkpoints show", dir.string()));
  std::string jobs;
  std::error_code error;
  for (fs::directory_iterator item(dir, error), end; !error && item != end; item.increment(error))
    if (is_there(item->path() / "LOCK")) jobs += fmt::format("{}{}", jobs.empty() ? "" : ", ", item->path().string());
  throw Error(Blame::kUser,
              fmt::format("{} has no checkpoints{}", dir.string(), jobs.empty() ? "" : "; folders of jobs in it: " + jobs));
}

void print_list(std::FILE* out, const std::vector<FoundCheckpoint>& found, const Clock& clock) {
  TextTable table(
      {{"ID", Align::kRight}, {"STATE"}, {"TIME"}, {"AGE"}, {"SIZE", Align::kRight}, {"DURATION", Align::kRight}, {"NOTE"}});
  for (const FoundCheckpoint& c : found) {
    if (!c.manifest) {
      table.add({fmt::format("{}", c.entry.epoch.value), "unreadable", "", "", "", "", ""});
      continue;
    }
    const Manifest& m = *c.manifest;
    table.add({fmt::format("{}", m.id.value), state_of(c), format_iso(m.at), age_text(clock.now() - m.at),
               size_text(bytes_of(c)), fmt::format("{} ms", m.duration_ms), m.claim ? "claim of run " + m.run.value : ""});
  }
  fmt::print(out, "{}", table.empty() ? "no checkpoints yet\n" : table.text());
}

void print_head(std::FILE* out, const FoundCheckpoint& c, const Clock& clock) {
  const Manifest& m = *c.manifest;
  fmt::print(out, "checkpoint {} of {}, {}{}\n", m.id.value, m.job, state_of(c), m.claim ? ", a claim" : "");
  fmt::print(out, "  written    {} ({}), in {} ms\n", format_iso(m.at), age_text(clock.now() - m.at), m.duration_ms);
  fmt::print(out, "  size       {} in {}\n", size_text(bytes_of(c)), count_text(m.files.size() + 1, "file"));
  fmt::print(out, "  run        {}\n  authority  {}\n", m.run.value, m.authority);
  if (const auto& f = m.commits)
    fmt::print(out,
               "  transactions  {} committed, {} aborted; the last commit took {} ms; oldest row of this one {} ms, of {} "
               "until the broker aborts it\n",
               f->committed, f->aborted, f->last_commit.micros / 1000, f->uncommitted.micros / 1000,
               format_duration(f->timeout));
  if (m.restored_from)
    fmt::print(out, "  restored   checkpoint {} of run {}{}\n", m.restored_from->id.value, m.restored_from->run.value,
               m.restored_from->job == m.job ? "" : " of the job " + m.restored_from->job);
  const auto is_source = [&](const std::string& name) {
    return std::any_of(m.sources.begin(), m.sources.end(), [&](const ManifestSource& s) { return s.name == name; });
  };
  for (const std::string& name : m.dropped_steps)
    fmt::print(out, "  dropped    {} {}\n", is_source(name) ? "the positions of source" : "the state of step", name);
  for (const std::string& step : m.finished_steps) fmt::print(out, "  finished   step {}\n", step);
  fmt::print(out, "  weir       {}, parallelism {}\n", m.weir_version, m.parallelism);
}

std::string optional_text(const std::optional<std::int64_t>& value) { return value ? fmt::format("{}", *value) : "-"; }

void print_sources(std::FILE* out, const Manifest& m) {
  for (const ManifestSource& source : m.sources) {
    fmt::print(out, "\nsource {} ({}), watermark {}", source.name, source.type, time_text(source.watermark));
    const std::string slowest = source.held_back_by(Duration::seconds(1));
    fmt::print(out, "{}{}\n", slowest.empty() ? "" : ", held back by ", slowest);
    TextTable table({{"SPLIT"},
                     {"NEXT OFFSET", Align::kRight},
                     {"END OFFSET", Align::kRight},
                     {"LAG", Align::kRight},
                     {"LARGEST TIME"},
                     {""}});
    for (const ManifestSplit& s : source.splits)
      table.add({s.state.label(), fmt::format("{}", s.state.next), optional_text(s.end_offset), optional_text(s.lag()),
                 s.state.largest_time ? time_text(*s.state.largest_time) : "-",
                 s.state.ended ? "ended"
                 : s.idle      ? "idle"
                               : ""});
    fmt::print(out, "{}", table.empty() ? "  no splits\n" : table.text(2));
  }
}

void print_steps_and_sinks(std::FILE* out, const Manifest& m) {
  for (const ManifestStep& step : m.steps) {
    fmt::print(out, "\nstep {}, watermark {}\n", step.name, time_text(step.watermark));
    TextTable table({{"TABLE"}, {"ROWS", Align::kRight}, {"SIZE", Align::kRight}, {"SCHEMA"}});
    for (const ManifestTable& t : step.tables) table.add({t.name, row_count_text(t.rows), size_text(t.bytes), t.schema});
    fmt::print(out, "{}", table.empty() ? "  no tables\n" : table.text(2));
  }
  TextTable sinks({{"SINK"}, {"TYPE"}, {"GUARANTEE"}, {"WHY"}});
  for (const ManifestSink& s : m.sinks)
    sinks.add({s.name, s.type, s.guarantee, guarantee_reason(s.type, s.guarantee, s.lane)});
  if (!sinks.empty()) fmt::print(out, "\n{}", sinks.text());
}

}  // namespace

int checkpoints_list(const std::string& dir, bool json, std::FILE* out, const Clock& clock) {
  require_job_folder(dir);
  const std::vector<FoundCheckpoint> found = read_folder(dir);
  int exit_code = 0;
  Json list = Json::array();
  for (const FoundCheckpoint& c : found) {
    if (c.manifest) list.push_back(summary_json(c));
    else exit_code = 3;
  }
  if (json) print_json(out, list);
  else print_list(out, found, clock);
  std::fflush(out);
  for (const FoundCheckpoint& c : found)
    if (!c.manifest) fmt::print(stderr, "error: {}\n", printable_lines(c.problem));
  return exit_code;
}

int checkpoints_show(const std::string& checkpoint, bool json, std::FILE* out, const Clock& clock) {
  const FoundCheckpoint found = find_checkpoint(checkpoint);
  if (!found.manifest) throw Error(Blame::kRefused, found.problem);
  if (!json) {
    print_head(out, found, clock);
    print_sources(out, *found.manifest);
    print_steps_and_sinks(out, *found.manifest);
    return 0;
  }
  Json object = summary_json(found);
  object["sources"] = sources_json(*found.manifest);
  object["steps"] = steps_json(*found.manifest);
  object["sinks"] = sinks_json(*found.manifest);
  if (found.manifest->commits) object["transactions"] = commits_json(*found.manifest->commits);
  print_json(out, object);
  return 0;
}

int checkpoints_verify(const std::string& checkpoint, std::FILE* out) {
  const Verified verified = verify_checkpoint(find_checkpoint(checkpoint).entry.path, VerifyLevel::kFull);
  const Manifest& m = verified.manifest;
  fmt::print(out, "checkpoint {} of {} is whole: manifest and {}, {}\n", m.id.value, m.job,
             count_text(verified.files, "file"), size_text(verified.bytes));
  return 0;
}

}  // namespace weir
