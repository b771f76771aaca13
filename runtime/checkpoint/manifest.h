#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api/commit_authority.h"
#include "runtime/api/snapshot.h"
#include "runtime/base/ids.h"
#include "runtime/base/time.h"

namespace weir {

/// A split of a source as a checkpoint keeps it.
struct ManifestSplit {
  SplitState state;
  std::optional<std::int64_t> end_offset{};  ///< the split's end when the checkpoint was taken, if it was known
  bool idle = false;                         ///< it did not hold back the watermark: nothing came for idle_after
  std::optional<std::int64_t> lag() const;   ///< end_offset - next, at least 0
  bool operator==(const ManifestSplit&) const = default;
};

struct ManifestSource {
  std::string name, type;
  std::vector<ManifestSplit> splits;
  Timestamp watermark = Timestamp::none();
  /// Which split holds back the watermark, and how far its times are behind those of the others: `orders-3, 2 h behind`, or
  /// `orders-3, which has no rows yet`. Empty when it is less than `least` behind, and without event time.
  std::string held_back_by(Duration least) const;
  bool operator==(const ManifestSource&) const = default;
};
/// The same for sources whose rows come together: `visits stdin-0, 50 min behind`.
std::string held_back_by(const std::vector<const ManifestSource*>& sources, Duration least);

/// A state table of a keyed step; its column family is `<step>/<name>`.
struct ManifestTable {
  std::string name;
  std::string schema;  ///< what the operator declared, as text; state changed incompatibly when it differs
  std::uint64_t rows = 0, bytes = 0;
  bool operator==(const ManifestTable&) const = default;
};

/// A keyed step.
struct ManifestStep {
  std::string name;
  Timestamp watermark = Timestamp::none();  ///< W at the barrier, the same for all tasks of the step; a floor after restore
  std::vector<ManifestTable> tables;
  bool operator==(const ManifestStep&) const = default;
};

struct ManifestSink {
  std::string name, type, guarantee;
  std::string lane;  ///< transactional id that the epoch's rows were written with; empty without one
  bool operator==(const ManifestSink&) const = default;
};

/// A file of the checkpoint.
struct ManifestFile {
  std::string path;  ///< relative to the checkpoint's folder, `/` between names, never `..`
  std::uint64_t size = 0;
  std::string checksum;  ///< XXH3 of 128 bits, 32 hexadecimal digits (runtime/state/file_checksum.h)
  bool operator==(const ManifestFile&) const = default;
};

/// Names a checkpoint, also one that is gone.
struct CheckpointName {
  Epoch id;
  RunId run;
  std::string job;
  bool operator==(const CheckpointName&) const = default;
};

/// The last marker of an authority that the job no longer has.
struct LastMarker {
  std::string authority;
  Marker marker;
  bool operator==(const LastMarker&) const = default;
};

/// What `manifest.json` says of a checkpoint: all that a start needs to know without opening the state.
struct Manifest {
  Epoch id;
  RunId run;
  std::string authority = "local";  ///< CommitAuthority::name(); a prepared checkpoint is judged by it
  std::string job;
  Timestamp at;
  std::string weir_version, pipeline_hash;
  int parallelism = 1;

  std::vector<ManifestSource> sources;
  std::vector<ManifestStep> steps;  ///< keyed steps only
  std::vector<std::string> finished_steps;
  std::vector<ManifestSink> sinks;

  bool claim = false;                             ///< written at a start: holds what was restored, no rows of its own
  bool finished = false;                          ///< the end of a bounded job
  std::optional<CheckpointName> restored_from{};  ///< of a claim: what the start restored
  std::optional<CheckpointName> origin{};         ///< of a claim: the checkpoint with rows it goes back to over other claims
  std::vector<std::string> dropped_steps;         ///< `--drop-state`, obeyed by later starts
  std::optional<LastMarker> last_marker{};
  std::vector<PendingPart> parts;  ///< part files of the epoch that get their final names when it commits

  std::vector<ManifestFile> files;         ///< filled in by CheckpointWriter
  std::optional<CommitFigures> commits{};  ///< of an authority that has any: how they stood when it was prepared
  std::int64_t duration_ms = 0;            ///< from the trigger until it was prepared
  std::uint64_t bytes = 0;                 ///< of all files; filled in by CheckpointWriter

  CheckpointName name() const { return {id, run, job}; }
  Marker marker() const { return {id, run}; }
  /// What a claim that restores this checkpoint names as its origin.
  std::optional<CheckpointName> origin_of_claim() const { return claim ? origin : std::optional(name()); }
  bool operator==(const Manifest&) const = default;
};

/// The text of manifest.json: JSON that ends with a checksum of all before it. Bytes that are not UTF-8 survive.
std::string manifest_text(const Manifest& manifest);

/// kIgnore is for the fuzzer, which could not get past the checksum.
enum class ManifestChecksum { kRequire, kIgnore };

/// Reads what manifest_text wrote. Anything else (torn, changed, of another format version, with keys that are unknown)
/// throws Error(kRefused) that names `file` and the reason. Any bytes may be given.
Manifest parse_manifest(std::string_view text, const std::string& file,
                        ManifestChecksum checksum = ManifestChecksum::kRequire);

}  // namespace weir
