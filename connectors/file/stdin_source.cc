#include <fcntl.h>

#include "connectors/file/bind_lines.h"
#include "connectors/file/file.h"
#include "connectors/file/stdin_reader.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

class StdinEnumerator final : public SplitEnumerator {
 public:
  StdinEnumerator(std::string source, int descriptor) : source_(std::move(source)), descriptor_(descriptor) {}

  std::vector<SplitState> restore(std::vector<SplitState>) override {
    throw Error(Blame::kRefused,
                fmt::format("source {}: standard input cannot be read again from where it stood (start anew with --fresh)",
                            source_));
  }
  std::vector<SplitState> discover(const std::vector<SplitState>& known) override {
    const int mode = ::fcntl(descriptor_, F_GETFL);
    if (mode < 0 || (mode & O_ACCMODE) == O_WRONLY)
      throw Error(Blame::kUser, fmt::format("source {}: standard input is closed, or not open for reading", source_));
    return known.empty() ? std::vector<SplitState>{{.topic = "stdin"}} : std::vector<SplitState>{};
  }

 private:
  std::string source_;
  int descriptor_;
};

class StdinSource final : public BoundSource {
 public:
  StdinSource(std::shared_ptr<const LineSourcePlan> plan, int descriptor)
      : plan_(std::move(plan)), descriptor_(descriptor), ports_(with_errors_port({{"", plan_->schema}}, plan_->on_error)) {}

  const std::vector<Port>& ports() const override { return ports_; }
  bool bounded() const override { return true; }
  bool replayable() const override { return false; }
  std::unique_ptr<SplitEnumerator> create_enumerator(AttemptContext&) const override {
    return std::make_unique<StdinEnumerator>(plan_->name, descriptor_);
  }
  std::unique_ptr<SourceReader> create_reader(AttemptContext&) const override {
    return std::make_unique<StdinReader>(plan_, descriptor_);
  }
  std::string type() const override { return "stdin"; }

 private:
  std::shared_ptr<const LineSourcePlan> plan_;
  int descriptor_;
  std::vector<Port> ports_;
};

/// Standard input is there once.
bool stdin_is_taken(const Component& source, BindContext& context) {
  for (const Component& other : context.file.sources) {
    if (&other == &source || other.name == source.name) return false;
    if (other.type != "stdin") continue;
    context.diagnostics.error(source.name_location, fmt::format("source {} reads standard input already", other.name),
                              "read it from there");
    return true;
  }
  return false;
}

}  // namespace

void add_stdin(Components& components, int descriptor) {
  components.add_source(
      {.kind = ComponentKind::kSource,
       .name = "stdin",
       .summary = "Reads lines from standard input.",
       .caveats = {"Bounded: it ends with the input.",
                   "Cannot be read again: no exactly_once, and a job with other sources beside it cannot be restored.",
                   "A job that reads only stdin begins anew each time; --continue and --from go on from its state with the "
                   "new rows."},
       .fields = {},
       .examples = {"type: stdin\nformat: csv\nschema: { id: bigint, name: varchar }"}},
      [descriptor](const Component& source, BindContext& context) -> std::unique_ptr<BoundSource> {
        if (stdin_is_taken(source, context)) return nullptr;
        auto lines = bind_lines(source, context.diagnostics);
        if (!lines) return nullptr;
        return std::make_unique<StdinSource>(std::move(lines), descriptor);
      });
}

}  // namespace weir
