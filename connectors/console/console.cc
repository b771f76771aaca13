#include "connectors/console/console.h"

#include "connectors/console/line_stream.h"
#include "connectors/formats/changelog.h"
#include "connectors/formats/line_encoder.h"
#include "runtime/api/ordered_work.h"
#include "runtime/base/error.h"

namespace weir {
namespace {

struct ConsolePlan {
  std::string sink;
  LineFormat lines;
  std::string preamble;
  std::shared_ptr<LineStream> stream;
};

/// Encodes on the task's thread and writes on the blocking pool, since the reader may be slow.
class ConsoleSink final : public Operator {
 public:
  explicit ConsoleSink(std::shared_ptr<const ConsolePlan> plan) : plan_(std::move(plan)), encoder_(plan_->lines) {}

  void open(const TaskContext& task) override {
    work_.emplace(*task.attempt->blocking, task.waker);
    counters_ = task.counters;
    attempt_ = task.attempt;
  }

  Progress process(int, BatchPtr batch, Output& out) override {
    std::string lines;
    const std::int64_t rows = encoder_.encode(*batch, lines, *counters_, out);
    counters_->bytes.add(lines.size());
    const std::size_t size = lines.size();
    work_->add(
        [plan = plan_, attempt = attempt_, written = written_, rows, lines = std::move(lines)] {
          plan->stream->write(*attempt, plan->sink, plan->preamble, lines);
          written->fetch_add(static_cast<std::uint64_t>(rows));
        },
        size);
    return wait_until(kMostPending);
  }

  Progress on_barrier(Epoch, Output&) override { return wait_until(0); }
  Progress on_end(Output&) override { return wait_until(0); }
  Progress resume(Output&) override { return wait_until(allowed_); }

 private:
  static constexpr std::size_t kMostPending = 1 << 20;  ///< bytes

  Progress wait_until(std::size_t allowed) {
    allowed_ = allowed;
    const std::uint64_t written = written_->load();
    counters_->rows_out.add(written - std::exchange(counted_, written));
    return allowed ? (work_->pending() <= allowed ? Progress::kDone : Progress::kWait)
                   : (work_->idle() ? Progress::kDone : Progress::kWait);
  }

  std::shared_ptr<const ConsolePlan> plan_;
  LineEncoder encoder_;
  std::optional<OrderedWork> work_;
  TaskCounters* counters_ = nullptr;
  const AttemptContext* attempt_ = nullptr;
  std::shared_ptr<std::atomic<std::uint64_t>> written_ = std::make_shared<std::atomic<std::uint64_t>>(0);  ///< rows
  std::uint64_t counted_ = 0;
  std::size_t allowed_ = 0;
};

class BoundConsole final : public BoundSink {
 public:
  BoundConsole(std::shared_ptr<const ConsolePlan> plan, std::vector<Port> ports)
      : plan_(std::move(plan)), ports_(std::move(ports)) {}

  const std::vector<Port>& ports() const override { return ports_; }
  std::unique_ptr<Operator> create(AttemptContext&) const override { return std::make_unique<ConsoleSink>(plan_); }
  std::string guarantee() const override { return "at_least_once"; }
  void look_up(AttemptContext&) const override {
    if (plan_->stream->is_writable()) return;
    throw Error(
        Blame::kUser,
        fmt::format(
            "sink {}: standard output is closed, or not open for writing: the rows would be lost; open it (> file), or "
            "use a sink of type file or discard",
            plan_->sink));
  }

 private:
  std::shared_ptr<const ConsolePlan> plan_;
  std::vector<Port> ports_;
};

}  // namespace

void add_console(Components& components, int standard_output) {
  auto stream = std::make_shared<LineStream>(standard_output);
  components.add_sink(
      {.kind = ComponentKind::kSink,
       .name = "console",
       .summary = "Writes rows to standard output, one a line, for people and pipes.",
       .caveats = {"At least once: after a restart rows behind the last checkpoint come again.",
                   "Log and progress go to standard error."},
       .fields = {changelog_field(false)},
       .examples = {"from: dear\ntype: console", "from: dear\ntype: console\nformat: { type: csv, header: true }"}},
      [stream](const Component& sink, const std::vector<BoundInput>& inputs,
               BindContext& context) -> std::unique_ptr<BoundSink> {
        auto lines = bind_line_format(sink, inputs.front(), context.diagnostics);
        if (!lines) return nullptr;
        std::string preamble = lines->encoders->preamble();
        auto plan =
            std::make_shared<const ConsolePlan>(ConsolePlan{sink.name, std::move(*lines), std::move(preamble), stream});
        return std::make_unique<BoundConsole>(std::move(plan), with_errors_port({}, read_on_error(sink.config)));
      });
}

}  // namespace weir
