#include "runtime/exec/execution.h"

namespace weir {

/// One vertex inside one task.
struct Execution::Node {
  Task* task = nullptr;
  ChainNode* chain = nullptr;     ///< steps and sinks
  SourceInput* source = nullptr;  ///< sources
  TaskCounters counters;
  TaskContext context;
  std::vector<InputGate::Source> incoming;  ///< channels of the first node of a chain

  Ports& ports() { return source ? source->ports() : chain->ports(); }
};

namespace {

/// 1/128 of the job's memory is for channels: the part of each. What they hold comes before a barrier that is wanted soon,
/// and each row of it may change a large value.
std::size_t bytes_of_each_channel(const Graph& graph, const Plan& plan, std::size_t memory) {
  std::size_t channels = 0;
  for (const Chain& chain : plan.chains) {
    const Vertex& vertex = graph.vertices[static_cast<std::size_t>(chain.vertices.front())];
    for (std::size_t i = 0; i < vertex.inputs.size(); ++i) {
      const bool one = vertex.step->exchange(static_cast<int>(i)).kind == Exchange::Kind::kForward;
      channels += static_cast<std::size_t>(plan.parallelism(vertex.inputs[i].vertex)) *
                  static_cast<std::size_t>(one ? 1 : chain.parallelism);
    }
  }
  return std::max<std::size_t>(64 << 10, memory / 128 / std::max<std::size_t>(1, channels));
}

}  // namespace

Execution::Execution(const Graph& graph, const Plan& plan, AttemptContext& attempt, Executor& executor,
                     ExecutionListener& listener)
    : graph_(graph),
      plan_(plan),
      attempt_(attempt),
      executor_(executor),
      channel_bytes_(bytes_of_each_channel(graph, plan, attempt.memory)),
      listener_(listener),
      nodes_(graph.vertices.size()),
      dealt_(graph.vertices.size()),
      scheduler_(executor, [&listener](std::exception_ptr reason) { listener.on_failure(reason); }) {
  attempt_.blocking = &scheduler_;
  for (int c = 0; c < static_cast<int>(plan_.chains.size()); ++c) build_chain(c);
  for (int c = 0; c < static_cast<int>(plan_.chains.size()); ++c) connect_chain(c);
  align_sources();
  for (std::size_t v = 0; v < nodes_.size(); ++v) {
    for (auto& n : nodes_[v]) {
      if (!n->chain || n->incoming.empty()) continue;
      InputGate::Wanted wanted;
      if (graph_.vertices[v].inputs.size() > 1) wanted = [op = &n->chain->op()](int input) { return op->wants(input); };
      n->task->set_input(std::make_unique<GateInput>(InputGate(std::move(n->incoming), std::move(wanted)), *n->chain,
                                                     [task = n->task] { task->take_mail(); }));
    }
  }
}

Execution::~Execution() { stop(); }

Execution::Node& Execution::node(int vertex, int index) {
  return *nodes_[static_cast<std::size_t>(vertex)][static_cast<std::size_t>(index)];
}

/// Makes the tasks of a chain with their nodes, and connects the nodes inside each.
void Execution::build_chain(int c) {
  const Chain& chain = plan_.chains[static_cast<std::size_t>(c)];
  for (int index = 0; index < chain.parallelism; ++index) {
    const std::string name = fmt::format("{} ({}/{})", plan_.name(graph_, c), index + 1, chain.parallelism);
    Task& task =
        *tasks_.emplace_back(std::make_unique<Task>(static_cast<int>(tasks_.size()), name, listener_, executor_.clock()));
    scheduler_.add(task);
    for (const int v : chain.vertices) {
      const Vertex& vertex = graph_.vertices[static_cast<std::size_t>(v)];
      Node& n = *nodes_[static_cast<std::size_t>(v)].emplace_back(std::make_unique<Node>());
      n.task = &task;
      if (vertex.source) {
        auto input = std::make_unique<SourceInput>(vertex, attempt_, n.counters, task);
        n.source = input.get();
        task.set_input(std::move(input));
        task.set_source_node();
      } else {
        n.chain = &task.add_node(vertex.step->create(attempt_), vertex.ports().size(), n.counters);
      }
      const Waker wake_task = scheduler_.waker(task);
      const Waker waker = n.chain ? n.chain->waker(wake_task) : wake_task;
      n.context = {&attempt_,         vertex.name, index,
                   chain.parallelism, waker,       [this, waker](Duration delay) { scheduler_.after(delay, waker); },
                   &n.counters};
      if (v == chain.vertices.front()) continue;
      const Vertex::Input& from = vertex.inputs[0];
      node(from.vertex, index).ports().connect(from.port, *n.chain, 0);
    }
  }
}

/// Makes the channels into the first vertex of a chain.
void Execution::connect_chain(int c) {
  const Chain& chain = plan_.chains[static_cast<std::size_t>(c)];
  const int v = chain.vertices.front();
  const Vertex& vertex = graph_.vertices[static_cast<std::size_t>(v)];
  for (std::size_t i = 0; i < vertex.inputs.size(); ++i) {
    const Vertex::Input& from = vertex.inputs[i];
    const Exchange exchange = vertex.step->exchange(static_cast<int>(i));
    for (int sender = 0; sender < plan_.parallelism(from.vertex); ++sender) {
      std::vector<std::shared_ptr<Channel>> channels;
      for (int receiver = 0; receiver < chain.parallelism; ++receiver) {
        if (exchange.kind == Exchange::Kind::kForward && receiver != sender % chain.parallelism) continue;
        auto channel = std::make_shared<Channel>(kChannelBatches, channel_bytes_);
        channel->set_wakers(scheduler_.waker(*node(v, receiver).task), scheduler_.waker(*node(from.vertex, sender).task));
        node(v, receiver).incoming.push_back({channel, static_cast<int>(i)});
        channels.push_back(std::move(channel));
      }
      Node& n = node(from.vertex, sender);
      n.ports().connect(from.port, n.task->add_channels(exchange, std::move(channels), sender), 0);
    }
  }
}

void Execution::align_sources() {
  if (!attempt_.max_drift) return;
  for (const std::vector<int>& sources : sources_that_meet(graph_)) {
    WatermarkAlignment& alignment = *alignments_.emplace_back(std::make_unique<WatermarkAlignment>(*attempt_.max_drift));
    for (const int v : sources)
      for (auto& n : nodes_[static_cast<std::size_t>(v)]) n->source->align(alignment, scheduler_.waker(*n->task));
  }
}

void Execution::add_splits(int vertex, const std::vector<SplitState>& splits) {
  const auto v = static_cast<std::size_t>(vertex);
  std::vector<std::vector<SplitState>> dealt(nodes_[v].size());
  for (const SplitState& s : splits) dealt[dealt_[v]++ % dealt.size()].push_back(s);
  for (std::size_t i = 0; i < dealt.size(); ++i) {
    if (dealt[i].empty()) continue;
    SourceInput& source = *nodes_[v][i]->source;
    nodes_[v][i]->task->post([&source, mine = std::move(dealt[i])] { source.add_splits(mine); });
  }
}

void Execution::no_more_splits(int vertex) {
  for (auto& n : nodes_[static_cast<std::size_t>(vertex)]) {
    SourceInput& source = *n->source;
    n->task->post([&source] { source.no_more_splits(); });
  }
}

void Execution::start() {
  for (auto& vertex : nodes_) {
    for (auto& n : vertex) {
      if (n->source) n->source->open(n->context);
      else n->chain->op().open(n->context);
    }
  }
  scheduler_.start();
}

void Execution::trigger(Epoch epoch, bool last) {
  for (auto& vertex : nodes_)
    for (auto& n : vertex)
      if (n->source) n->task->post([source = n->source, epoch, last] { source->trigger(epoch, last); });
}

void Execution::committed(Epoch epoch) {
  for (auto& vertex : nodes_) {
    for (auto& n : vertex) {
      if (n->source) n->task->post([source = n->source, epoch] { source->on_committed(epoch); });
      else n->task->post([chain = n->chain, epoch] { chain->op().on_committed(epoch); });
    }
  }
}

void Execution::stop() { scheduler_.stop(); }

void Execution::wind_up(Epoch last) {
  stop();
  for (auto& vertex : nodes_)
    for (auto& n : vertex)
      if (n->source) n->source->on_committed(last);
}

VertexTotals Execution::totals(int vertex) const {
  VertexTotals t;
  for (const auto& n : nodes_[static_cast<std::size_t>(vertex)]) {
    t.rows_in += n->counters.rows_in.get();
    t.rows_out += n->counters.rows_out.get();
    t.bytes += n->counters.bytes.get();
    t.errors += n->counters.errors.get();
    t.late += n->counters.late.get();
    t.lag += n->counters.lag.get();
    t.state_rows += n->counters.state_rows.get();
    t.state_bytes += n->counters.state_bytes.get();
    t.state_reads += n->counters.state_reads.get();
    t.freeze = std::max(t.freeze, n->counters.freeze.get());
    n->counters.own.add_to(t.own);
  }
  return t;
}

std::uint64_t Execution::moves() const {
  std::uint64_t all = 0;
  for (const auto& vertex : nodes_)
    for (const auto& n : vertex)
      if (n->source) all += n->source->moves();
  return all;
}

}  // namespace weir
