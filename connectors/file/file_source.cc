#include <sys/stat.h>

#include <spdlog/spdlog.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include "connectors/file/bind_lines.h"
#include "connectors/file/file.h"
#include "connectors/file/file_chunks.h"
#include "connectors/file/file_reader.h"
#include "connectors/file/fingerprint.h"
#include "connectors/file/input_paths.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

struct FileSourcePlan {
  std::shared_ptr<const LineSourcePlan> lines;
  std::string path;
};

/// The size of a file that a checkpoint knows, which must still be there.
std::int64_t size_of_known(const std::string& source, const SplitState& split) {
  struct stat status {};
  if (::stat(split.topic.c_str(), &status) != 0)
    throw Error(Blame::kRefused, fmt::format("source {}: the file {}, of which {} bytes were read, cannot be opened: {}",
                                             source, split.topic, split.next, std::strerror(errno)));
  return status.st_size;
}

/// One split for each file. A job that goes on has the files it began with, unless it reads on.
class FileEnumerator final : public SplitEnumerator {
 public:
  FileEnumerator(std::shared_ptr<const FileSourcePlan> plan, bool read_on) : plan_(std::move(plan)), read_on_(read_on) {}

  std::vector<SplitState> restore(std::vector<SplitState> splits) override {
    for (SplitState& split : splits) {
      const std::int64_t size = size_of_known(name(), split);
      if (read_on_) split.end = size;
      if (size < split.next || size < *split.end)
        throw Error(
            Blame::kRefused,
            fmt::format("source {}: the file {} has shrunk from {} to {} bytes since it was read (start anew with --fresh)",
                        name(), split.topic, std::max(*split.end, split.next), size));
      check_unchanged(split);
      if (*split.end > split.next) check_line_end(split);
      split.ended = split.next >= *split.end;
    }
    if (!splits.empty()) check_named(splits);
    return splits;
  }

  std::vector<SplitState> discover(const std::vector<SplitState>& known) override {
    if (!known.empty() && !read_on_) return {};
    std::vector<SplitState> found;
    for (const std::string& file : input_files(name(), plan_->path)) {
      SplitState split{.topic = file};
      if (std::any_of(known.begin(), known.end(), [&](const SplitState& k) { return k.same_split(split); })) continue;
      std::error_code error;
      split.end = static_cast<std::int64_t>(std::filesystem::file_size(file, error));
      if (error) throw Error(Blame::kUser, fmt::format("source {}: cannot look at {}: {}", name(), file, error.message()));
      if (read_on_) spdlog::info("source {}: new file {}", name(), file);
      found.push_back(std::move(split));
    }
    return found;
  }

 private:
  const std::string& name() const { return plan_->lines->name; }

  /// A checkpoint may name any file: only those that `path` stands for are read.
  void check_named(const std::vector<SplitState>& splits) const {
    const std::vector<std::string> files = input_files(name(), plan_->path);
    const std::set<std::string_view> names(files.begin(), files.end());
    for (const SplitState& split : splits) {
      std::error_code error;
      const auto is_same = [&](const std::string& file) {
        return std::filesystem::equivalent(file, split.topic, error) && !error;
      };
      if (names.contains(split.topic) || std::any_of(files.begin(), files.end(), is_same)) continue;
      throw Error(
          Blame::kRefused,
          fmt::format(
              "source {}: the checkpoint is of the file {}, which is none of those that path: {} stands for; give it its "
              "path back, or begin this source anew with --drop-state {}",
              name(), split.topic, plan_->path, name()));
    }
  }

  /// Compares the record before `next` with what was read.
  void check_unchanged(const SplitState& split) const {
    const auto then = FileFingerprint::parse(split.fingerprint);
    if (!then) return;
    std::ifstream file(split.topic, std::ios::binary);
    std::string bytes(static_cast<std::size_t>(then->bytes), '\0');
    file.seekg(split.next - then->bytes);
    file.read(bytes.data(), then->bytes);
    FileFingerprint now = FileFingerprint::of(then->line, bytes);
    now.open = then->open;
    if (file && now == *then) return;
    throw Error(
        Blame::kRefused,
        fmt::format("source {}: the file {} is not what it was when it was read up to line {} (start anew with --fresh)",
                    name(), split.topic, then->line));
  }

  /// A last line without its end was handed out as it was: it must not have gone on since.
  void check_line_end(const SplitState& split) const {
    if (split.next == 0) return;
    std::ifstream file(split.topic, std::ios::binary);
    std::string around(3, '\0');
    file.seekg(split.next - 1);
    file.read(around.data(), static_cast<std::streamsize>(around.size()));
    around.resize(static_cast<std::size_t>(file.gcount()));
    const auto then = FileFingerprint::parse(split.fingerprint);
    const bool open = then && then->open;
    if (bytes_to_line_end(around) && !open) return;
    throw Error(
        Blame::kRefused,
        fmt::format("source {}: the file {} is not what it was when it was read: its last line{} had no end then{}, "
                    "was taken as it was, and goes on now (start anew with --fresh)",
                    name(), split.topic, then ? fmt::format(", {},", then->line) : "", open ? " (a quote was open)" : ""));
  }

  std::shared_ptr<const FileSourcePlan> plan_;
  bool read_on_;
};

class FileSource final : public BoundSource {
 public:
  explicit FileSource(std::shared_ptr<const FileSourcePlan> plan)
      : plan_(std::move(plan)), ports_(with_errors_port({{"", plan_->lines->schema}}, plan_->lines->on_error)) {}

  const std::vector<Port>& ports() const override { return ports_; }
  bool bounded() const override { return true; }
  std::unique_ptr<SplitEnumerator> create_enumerator(AttemptContext& attempt) const override {
    return std::make_unique<FileEnumerator>(plan_, attempt.read_on);
  }
  std::unique_ptr<SourceReader> create_reader(AttemptContext&) const override {
    return std::make_unique<FileReader>(plan_->lines);
  }
  std::string type() const override { return "file"; }

 private:
  std::shared_ptr<const FileSourcePlan> plan_;
  std::vector<Port> ports_;
};

}  // namespace

void add_file_source(Components& components) {
  components.add_source(
      {.kind = ComponentKind::kSource,
       .name = "file",
       .summary = "Reads the lines of files, each file in order.",
       .caveats =
           {"Bounded: it ends at the size that each file had at the start.",
            "Several files are read side by side where the parallelism allows; those of one task by name.",
            "Files are UTF-8 and not compressed: what begins like gzip, zstd, UTF-16 and such is refused as a whole, and so "
            "is a file with a line of more than 256 MiB.",
            "Empty lines are left out, but for format raw. A record of csv may go over several lines inside quotes.",
            "Rows of the errors stream have the path as topic and the place in the file in bytes as offset.",
            "A job that goes on refuses files that are gone, shorter or changed; with --continue also one whose last "
            "line had no end, was taken as it was, and goes on now."},
       .fields =
           {field::text("path")
                .required()
                .not_empty()
                .doc("A file, a folder (all files in it but hidden ones), or a pattern with *, ?, [ ], and ** for any "
                     "number of folders, none too (`input/**/*.jsonl`). Hidden names match only a point that is written.")
                .example("\"input/*.jsonl\""),
            field::boolean("follow").not_supported_yet(), field::text("compression").not_supported_yet()},
       .examples = {"type: file\npath: input/bids.csv\nformat: { type: csv, header: true }\nschema: { auction: bigint, "
                    "price: double }"}},
      [](const Component& source, BindContext& context) -> std::unique_ptr<BoundSource> {
        auto lines = bind_lines(source, context.diagnostics);
        const auto better = better_pattern(source.config.text("path"));
        if (better)
          context.diagnostics.error(source.config.location("path"),
                                    "** stands for any number of folders, and so alone between slashes",
                                    fmt::format("write {}, or a single *", *better));
        if (!lines || better) return nullptr;
        return std::make_unique<FileSource>(
            std::make_shared<const FileSourcePlan>(FileSourcePlan{std::move(lines), source.config.text("path")}));
      });
}

}  // namespace weir
