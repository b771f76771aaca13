#include "connectors/console/console.h"

namespace weir {
namespace {

class Discard final : public Operator {
 public:
  void open(const TaskContext& task) override { counters_ = task.counters; }
  Progress process(int, BatchPtr batch, Output&) override {
    counters_->rows_out.add(static_cast<std::uint64_t>(batch->rows()));
    return Progress::kDone;
  }

 private:
  TaskCounters* counters_ = nullptr;
};

class BoundDiscard final : public BoundSink {
 public:
  explicit BoundDiscard(std::vector<Port> ports) : ports_(std::move(ports)) {}
  const std::vector<Port>& ports() const override { return ports_; }
  std::unique_ptr<Operator> create(AttemptContext&) const override { return std::make_unique<Discard>(); }
  std::string guarantee() const override { return "none"; }

 private:
  std::vector<Port> ports_;
};

}  // namespace

void add_discard(Components& components) {
  components.add_sink({.kind = ComponentKind::kSink,
                       .name = "discard",
                       .summary = "Drops all rows, for measuring.",
                       .caveats = {},
                       .fields = {},
                       .examples = {"from: dear\ntype: discard"},
                       .default_format = ""},
                      [](const Component& sink, const std::vector<BoundInput>&, BindContext&) -> std::unique_ptr<BoundSink> {
                        return std::make_unique<BoundDiscard>(with_errors_port({}, read_on_error(sink.config)));
                      });
}

}  // namespace weir
