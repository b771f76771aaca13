#include <unistd.h>

#include <cerrno>

#include "connectors/file/file.h"
#include "connectors/file/file_sink.h"
#include "connectors/formats/changelog.h"
#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

class BoundFileSink final : public BoundSink {
 public:
  BoundFileSink(std::shared_ptr<const FileSinkPlan> plan, std::vector<Port> ports)
      : plan_(std::move(plan)), ports_(std::move(ports)) {}

  const std::vector<Port>& ports() const override { return ports_; }
  std::unique_ptr<Operator> create(AttemptContext&) const override { return std::make_unique<FileSink>(plan_); }
  std::string guarantee() const override { return "exactly_once"; }

  /// Makes the folder, so that a wrong path is known at once and not with the first rows.
  void look_up(AttemptContext&) const override {
    try {
      make_folders(plan_->folder);
    } catch (const Error& e) {
      throw Error(e.blame(), fmt::format("sink {}: {}", plan_->sink, e.text()));
    }
    if (::access(plan_->folder.c_str(), W_OK | X_OK) != 0)
      throw Error(blame_of_system_error(errno), fmt::format("sink {}: cannot write into {}: {}", plan_->sink,
                                                            plan_->folder.string(), system_reason(errno)));
  }

  std::optional<PendingPart> find_part(const std::string& job, const PendingPart& listed) const override {
    const fs::path pending = listed.pending, final = listed.final;
    if (!are_names_of_part(job, pending.filename().string(), final.filename().string())) return std::nullopt;
    PendingPart here{(plan_->folder / pending.filename()).string(), (plan_->folder / final.filename()).string()};
    const bool is_ours = pending.parent_path() / "" == plan_->folder || is_there(here.pending) || is_there(here.final);
    return is_ours ? std::optional(here) : std::nullopt;
  }

  void clean_up(const std::string& job, const std::string& home, const std::vector<PendingPart>& listed) const override {
    std::error_code error;
    fs::directory_iterator entries(plan_->folder, error);
    if (error == std::errc::no_such_file_or_directory) return;
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      if (!is_pending_of(job, home, entries->path().filename().string())) continue;
      const std::string path = entries->path().string();
      if (std::any_of(listed.begin(), listed.end(), [&](const PendingPart& p) { return p.pending == path; })) continue;
      fs::remove(entries->path(), error);
    }
    if (error)
      throw Error(blame_of_system_error(error.value()), fmt::format("cannot clear {} of unfinished parts: {}",
                                                                    plan_->folder.string(), system_reason(error.value())));
  }

 private:
  std::shared_ptr<const FileSinkPlan> plan_;
  std::vector<Port> ports_;
};

fs::path folder_of(const Config& config) { return fs::absolute(config.text("path")).lexically_normal() / ""; }

/// Two sinks of one file would give their parts the same names.
bool folder_is_taken(const Component& sink, BindContext& context) {
  for (const Component& other : context.file.sinks) {
    if (&other == &sink || other.name == sink.name) return false;
    if (other.type != "file" || !other.ok() || folder_of(other.config) != folder_of(sink.config)) continue;
    context.diagnostics.error(sink.config.location("path"),
                              fmt::format("sink {} writes into this folder already", other.name),
                              "give each file sink a folder of its own");
    return true;
  }
  return false;
}

std::string extension_of(const std::string& format) { return format == "json" ? "jsonl" : format == "raw" ? "txt" : format; }

std::unique_ptr<BoundSink> bind(const Component& sink, const std::vector<BoundInput>& inputs, BindContext& context) {
  const bool taken = folder_is_taken(sink, context);
  auto lines = bind_line_format(sink, inputs.front(), context.diagnostics);
  if (!lines || taken) return nullptr;
  FileSinkPlan plan{.sink = sink.name, .folder = folder_of(sink.config), .extension = extension_of(sink.format->type)};
  plan.lines = std::move(*lines);
  plan.preamble = plan.lines.encoders->preamble();
  const Config& roll = sink.config.object("roll");
  plan.roll_size = roll.size("size");
  plan.roll_interval = roll.duration("interval");
  return std::make_unique<BoundFileSink>(std::make_shared<const FileSinkPlan>(std::move(plan)),
                                         with_errors_port({}, read_on_error(sink.config)));
}

}  // namespace

void add_file(Components& components, int standard_input) {
  add_file_source(components);
  add_stdin(components, standard_input);
  add_file_sink(components);
}

void add_file_sink(Components& components) {
  components.add_sink(
      {.kind = ComponentKind::kSink,
       .name = "file",
       .summary = "Writes rows into files of a folder, one a line, exactly once.",
       .caveats =
           {"Files get their final name, part-*, when the checkpoint that holds their rows commits; until then they are "
            "hidden.",
            "A file never holds rows of two checkpoints: the checkpoint interval is also the longest time a file grows.",
            "Each task writes files of its own. Two sinks cannot share a folder."},
       .fields =
           {field::text("path").required().not_empty().doc("The folder; it is made where there is none.").example("results"),
            field::object("roll", {field::size("size").defaults_to("128MiB").at_least(1).doc(
                                       "A file that has reached this size is finished."),
                                   field::duration("interval")
                                       .defaults_to("1h")
                                       .at_least("1ms")
                                       .doc("So is one that was begun this long ago, with the next rows.")})
                .doc("When a file is finished before its checkpoint."),
            changelog_field(false), field::text("compression").not_supported_yet()},
       .examples = {"from: dear\ntype: file\npath: results\nformat: { type: csv, header: true }\nroll: { size: 16MiB }"}},
      bind);
}

}  // namespace weir
