#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/base/utf8.h"
#include "runtime/checkpoint/manifest.h"
#include "runtime/checkpoint/manifest_format.h"
#include "runtime/state/file_checksum.h"

namespace weir {
namespace {

using Json = nlohmann::json;

/// What is wrong, and where in the document; becomes an Error that names the file.
struct Problem {
  std::string text;
};

[[noreturn]] void problem(const std::string& where, std::string_view what) {
  throw Problem{fmt::format("\"{}\" {}", where, what)};
}

template <typename T>
T integer_of(const Json& value, const std::string& where, T least = std::numeric_limits<T>::min()) {
  if (!value.is_number_integer()) problem(where, "is not an integer");
  const bool fits = value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                               : std::in_range<T>(value.get<std::int64_t>());
  if (!fits) problem(where, "is out of range");
  const T number = value.get<T>();
  if (number < least) problem(where, fmt::format("is less than {}", least));
  return number;
}

std::optional<Timestamp> time_of(const Json& value, const std::string& where) {
  if (value.is_null()) return std::nullopt;
  if (value == "infinity") return Timestamp::infinity();
  return Timestamp{integer_of<std::int64_t>(value, where)};
}

char byte_of(const std::string& hex, std::size_t i, const std::string& where) {
  const auto digit = [&](std::size_t k) -> int {
    if (k >= hex.size()) problem(where, "has half a byte");
    const char c = hex[k];
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    problem(where, "is not written in hexadecimal digits");
  };
  return static_cast<char>(digit(i) * 16 + digit(i + 1));
}

std::string text_of(const Json& value, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object() || value.size() != 1 || !value.contains("bytes") || !value["bytes"].is_string())
    problem(where, "is not a text");
  const std::string& hex = value["bytes"].get_ref<const std::string&>();
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes += byte_of(hex, i, where);
  if (first_invalid_utf8(bytes) == bytes.size()) problem(where, "is written as bytes and is a text");
  return bytes;
}

/// A JSON object of which every key must be known and read exactly once.
class Object {
 public:
  Object(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) problem(where_, "is not an object");
  }

  const Json& at(const char* key) {
    const auto found = json_.find(key);
    if (found == json_.end()) problem(path(key), "is missing");
    ++read_;
    return *found;
  }
  std::string path(std::string_view key) const {
    return where_.empty() ? std::string(key) : fmt::format("{}.{}", where_, key);
  }

  bool boolean(const char* key) {
    const Json& value = at(key);
    if (!value.is_boolean()) problem(path(key), "is not true or false");
    return value.get<bool>();
  }
  template <typename T>
  T integer(const char* key, T least = std::numeric_limits<T>::min()) {
    return integer_of<T>(at(key), path(key), least);
  }
  std::string text(const char* key) { return text_of(at(key), path(key)); }
  std::optional<std::int64_t> optional_integer(const char* key) {
    const Json& value = at(key);
    if (value.is_null()) return std::nullopt;
    return integer_of<std::int64_t>(value, path(key));
  }
  Timestamp time(const char* key) { return time_of(at(key), path(key)).value_or(Timestamp::none()); }
  template <typename F>
  auto list(const char* key, F&& item) -> std::vector<decltype(item(std::declval<const Json&>(), std::string()))> {
    const Json& value = at(key);
    if (!value.is_array()) problem(path(key), "is not a list");
    std::vector<decltype(item(value, std::string()))> items;
    items.reserve(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) items.push_back(item(value[i], fmt::format("{}[{}]", path(key), i)));
    return items;
  }
  /// After everything was read: refuses what is left.
  void finish() const {
    if (read_ == json_.size()) return;
    throw Problem{fmt::format("{} has keys that this version of weir does not know", where_.empty() ? "it" : where_)};
  }

 private:
  const Json& json_;
  std::string where_;
  std::size_t read_ = 0;
};

ManifestSplit read_split(const Json& json, const std::string& where) {
  Object o(json, where);
  ManifestSplit split;
  split.state.topic = o.text("topic");
  split.state.partition = o.integer<std::int32_t>("partition");
  split.state.next = o.integer<std::int64_t>("next");
  split.state.end = o.optional_integer("end");
  split.state.ended = o.boolean("ended");
  split.state.largest_time = time_of(o.at("largest_time"), o.path("largest_time"));
  split.state.fingerprint = o.text("fingerprint");
  split.end_offset = o.optional_integer("end_offset");
  split.idle = o.boolean("idle");
  o.finish();
  return split;
}

ManifestSource read_source(const Json& json, const std::string& where) {
  Object o(json, where);
  ManifestSource source{o.text("name"), o.text("type"), o.list("splits", read_split), o.time("watermark")};
  o.finish();
  return source;
}

ManifestTable read_table(const Json& json, const std::string& where) {
  Object o(json, where);
  ManifestTable table{o.text("name"), o.text("schema"), o.integer<std::uint64_t>("rows"), o.integer<std::uint64_t>("bytes")};
  o.finish();
  return table;
}

ManifestStep read_step(const Json& json, const std::string& where) {
  Object o(json, where);
  ManifestStep step{o.text("name"), o.time("watermark"), o.list("tables", read_table)};
  o.finish();
  return step;
}

ManifestSink read_sink(const Json& json, const std::string& where) {
  Object o(json, where);
  ManifestSink sink{o.text("name"), o.text("type"), o.text("guarantee"), o.text("lane")};
  o.finish();
  return sink;
}

PendingPart read_part(const Json& json, const std::string& where) {
  Object o(json, where);
  PendingPart part{o.text("pending"), o.text("final")};
  o.finish();
  return part;
}

bool is_inside(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) return false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = std::string_view(path).substr(begin, end - begin);
    if (name.empty() || name == "." || name == "..") return false;
    begin = end + 1;
  }
  return true;
}

ManifestFile read_file(const Json& json, const std::string& where) {
  Object o(json, where);
  ManifestFile file{o.text("path"), o.integer<std::uint64_t>("size"), o.text("checksum")};
  if (!is_inside(file.path)) problem(o.path("path"), "leads out of the checkpoint");
  if (file.checksum.size() != kChecksumSize || file.checksum.find_first_not_of("0123456789abcdef") != std::string::npos)
    problem(o.path("checksum"), "is not a checksum");
  o.finish();
  return file;
}

std::optional<CheckpointName> read_name(const Json& json, const std::string& where) {
  if (json.is_null()) return std::nullopt;
  Object o(json, where);
  CheckpointName name{{o.integer<std::uint64_t>("id", 1)}, {o.text("run")}, o.text("job")};
  o.finish();
  return name;
}

std::optional<LastMarker> read_last_marker(const Json& json, const std::string& where) {
  if (json.is_null()) return std::nullopt;
  Object o(json, where);
  LastMarker last{o.text("authority"), {{o.integer<std::uint64_t>("id", 1)}, {o.text("run")}}};
  o.finish();
  return last;
}

std::optional<CommitFigures> read_commits(const Json& json, const std::string& where) {
  if (json.is_null()) return std::nullopt;
  Object o(json, where);
  const auto duration = [&](const char* key) { return Duration{o.integer<std::int64_t>(key, 0)}; };
  CommitFigures figures{o.integer<std::uint64_t>("committed"), o.integer<std::uint64_t>("aborted"), duration("last_commit"),
                        duration("uncommitted"), duration("timeout")};
  o.finish();
  return figures;
}

void read_lists(Object& o, Manifest& m) {
  m.sources = o.list("sources", read_source);
  m.steps = o.list("steps", read_step);
  m.finished_steps = o.list("finished_steps", text_of);
  m.dropped_steps = o.list("dropped_steps", text_of);
  m.sinks = o.list("sinks", read_sink);
  m.parts = o.list("parts", read_part);
  m.files = o.list("files", read_file);
}

Manifest read_manifest(const Json& json) {
  Object o(json, "");
  // First of all: what an unknown format means by the other keys is unknown too.
  if (const auto format = o.integer<std::int64_t>("format"); format != kManifestFormat)
    throw Problem{fmt::format("it is written in format {}; this version of weir reads format {}", format, kManifestFormat)};
  Manifest m;
  m.job = o.text("job");
  m.id = {o.integer<std::uint64_t>("id", 1)};
  m.run = {o.text("run")};
  m.authority = o.text("authority");
  m.at = {o.integer<std::int64_t>("at")};
  m.weir_version = o.text("weir_version");
  m.pipeline_hash = o.text("pipeline_hash");
  m.parallelism = o.integer<int>("parallelism", 1);
  m.claim = o.boolean("claim");
  m.finished = o.boolean("finished");
  m.restored_from = read_name(o.at("restored_from"), "restored_from");
  m.origin = read_name(o.at("origin"), "origin");
  m.last_marker = read_last_marker(o.at("last_marker"), "last_marker");
  read_lists(o, m);
  m.commits = read_commits(o.at("commits"), "commits");
  m.duration_ms = o.integer<std::int64_t>("duration_ms");
  m.bytes = o.integer<std::uint64_t>("bytes");
  o.finish();
  return m;
}

/// The JSON of a manifest's text, without its checksum.
std::string without_checksum(std::string_view text, ManifestChecksum mode) {
  constexpr std::size_t tail = kChecksumBegin.size() + kChecksumSize + kChecksumEnd.size();
  if (text.empty()) throw Problem{"it is empty"};
  const std::size_t size = text.size() < tail ? 0 : text.size() - tail;
  const bool complete = text.size() >= tail && text.substr(size).starts_with(kChecksumBegin) && text.ends_with(kChecksumEnd);
  if (!complete && mode == ManifestChecksum::kIgnore) return std::string(text);
  if (!complete) throw Problem{fmt::format("it is torn: its {} bytes do not end with a checksum", text.size())};
  const std::string_view written = text.substr(size + kChecksumBegin.size(), kChecksumSize);
  const std::string found = FileChecksum::of(text.substr(0, size));
  if (found != written && mode == ManifestChecksum::kRequire)
    throw Problem{fmt::format("it was changed: its checksum is {}, expected {}", found, written)};
  return std::string(text.substr(0, size)).append(kManifestEnd);
}

}  // namespace

Manifest parse_manifest(std::string_view text, const std::string& file, ManifestChecksum checksum) {
  try {
    return read_manifest(Json::parse(without_checksum(text, checksum)));
  } catch (const Problem& p) {
    throw Error(Blame::kRefused, fmt::format("{} cannot be used: {}", file, p.text));
  } catch (const Json::exception& e) {
    throw Error(Blame::kRefused, fmt::format("{} cannot be used: it is not JSON: {}", file, e.what()));
  }
}

}  // namespace weir
