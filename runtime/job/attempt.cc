#include "runtime/job/attempt.h"

#include <random>

#include <spdlog/spdlog.h>

#include "runtime/base/error.h"
#include "runtime/base/machine_memory.h"

namespace weir {

namespace {

RunId new_run() {
  std::random_device random;
  return {fmt::format("{:08x}{:08x}", random(), random())};
}

}  // namespace

std::unique_ptr<CommitAuthority> make_authority(const Graph& graph, AttemptContext& attempt) {
  std::unique_ptr<CommitAuthority> authority;
  for (const Vertex& v : graph.vertices) {
    if (!v.sink) continue;
    auto own = v.sink->create_authority(attempt);
    if (!authority) authority = std::move(own);
  }
  return authority ? std::move(authority) : std::make_unique<LocalAuthority>();
}

Attempt::Attempt(const PipelineFile& file, const Graph& graph, const JobOptions& options, const Restarts& restarts,
                 CheckpointFolder& folder, StateStores& stores, Executor& executor, StopRequest& stop, ControlLoop& loop)
    : file_(file),
      graph_(graph),
      options_(options),
      restarts_(restarts),
      folder_(folder),
      stores_(stores),
      executor_(executor),
      clock_(executor.clock()),
      stop_(stop),
      loop_(loop),
      lease_(loop),
      started_(restarts.job_started) {
  context_.job = file.name.text;
  context_.run = new_run();
  context_.home = folder.home();
  context_.clock = &clock_;
  context_.memory = static_cast<std::size_t>(file.memory ? *file.memory : memory_of_the_machine() / 4);
  context_.timeout_factor = restarts.timeout_factor;
  context_.commits = restarts.commits;
  context_.checkpoint_interval = file.checkpoint.interval;
  context_.batch_rows = options.batch_rows;
  context_.batch_bytes = std::clamp<std::size_t>(context_.memory / 256, 64 << 10, 1 << 20);
  if (options.stop_after_rows) context_.rows_left = *options.stop_after_rows;
  context_.want_checkpoint = [this](Epoch epoch) { lease_.post([this, epoch] { coordinator_->want(epoch); }); };
  context_.note = [](const std::string& text) { spdlog::warn("{}", text); };
  context_.out_of_rows = [this] { lease_.post([this] { out_of_rows_ = true; }); };
  authority_ = make_authority(graph, context_);
}

Attempt::~Attempt() {
  if (execution_) execution_->stop();
}

Attempt::WorkFolder::~WorkFolder() {
  std::error_code ignored;  // what is left is deleted at the next start
  if (!path.empty()) std::filesystem::remove_all(path, ignored);
}

JobEnd Attempt::run() {
  stop_.nothing_to_save = stop_.looking = true;
  recover();
  if (nothing_to_do()) {
    publish_restored_parts();
    const bool replayable = std::all_of(graph_.vertices.begin(), graph_.vertices.end(),
                                        [](const Vertex& v) { return !v.source || v.source->replayable(); });
    spdlog::info("nothing to do: finished at {} with checkpoint {} ({})", format_iso(restored_->at), restored_->id.value,
                 replayable ? "--continue reads on" : "--fresh begins anew");
    return JobEnd::kFinished;
  }
  resolve_splits();
  stop_.looking = false;
  claim();
  open_state();
  launch();
  while (!done_ && !failure_) {
    loop_.run_one(Duration::milliseconds(100));
    check_stop();
    coordinator_->hurry();
    progress_->update();
  }
  if (failure_) std::rethrow_exception(failure_);
  execution_->wind_up(last_committed_);
  progress_->clear();
  authority_->close();
  spdlog::info("{}", progress_->summary());
  if (*done_ && !stopping_) {
    spdlog::info("finished: everything up to the end of the input is done");
    return JobEnd::kFinished;
  }
  spdlog::info("stopped");
  return stopped_after_ ? JobEnd::kStoppedAfter : JobEnd::kStopped;
}

/// Builds the tasks and lets them run.
void Attempt::launch() {
  stop_.nothing_to_save = false;
  std::vector<int> splits(graph_.vertices.size(), 0);
  for (const auto& [v, known] : splits_) splits[static_cast<std::size_t>(v)] = static_cast<int>(known.size());
  plan_ = std::make_unique<Plan>(make_plan(graph_, parallelism(), splits));
  execution_ = std::make_unique<Execution>(graph_, *plan_, context_, executor_, *this);

  CoordinatorOptions options;
  options.retain = static_cast<int>(file_.checkpoint.retain);
  int sources = 0;
  std::map<int, int> source_of_vertex;
  for (const auto& [v, unused] : splits_) {
    options.sources.push_back(graph_.vertices[static_cast<std::size_t>(v)].name);
    source_of_vertex[v] = sources++;
  }
  for (const Chain& chain : plan_->chains) {
    const auto source = source_of_vertex.find(chain.vertices.front());
    options.source_of_task.insert(options.source_of_task.end(), static_cast<std::size_t>(chain.parallelism),
                                  source == source_of_vertex.end() ? -1 : source->second);
  }
  coordinator_ = std::make_unique<Coordinator>(
      std::move(options), base_manifest(), context_.first_epoch, folder_, *authority_, *this, *this,
      execution_->scheduler().commits(), [this](std::function<void()> work) { lease_.post(std::move(work)); }, clock_,
      store_.get());
  progress_ = std::make_unique<ProgressReport>(graph_, *execution_, *authority_, clock_, options_.quiet);
  Manifest claim;
  claim.id = claimed_;
  progress_->on_checkpoint(claim);

  for (const auto& [v, known] : splits_) {
    execution_->add_splits(v, known);
    if (graph_.vertices[static_cast<std::size_t>(v)].source->bounded() || enumerators_[v]->interval().micros == 0)
      execution_->no_more_splits(v);
    else discover_from_now_on(v);
  }
  execution_->start();
  if (store_) lease_.every(Duration::milliseconds(200), [this] { keep_within_memory(); });
  if (file_.checkpoint.interval.micros > 0) lease_.every(file_.checkpoint.interval, [this] { coordinator_->tick(); });
  spdlog::info("running: {} {}, checkpoint every {}", execution_->tasks(), execution_->tasks() == 1 ? "task" : "tasks",
               format_duration(file_.checkpoint.interval));
}

void Attempt::discover_from_now_on(int v) {
  const SplitDiscovery::Source source{graph_.vertices[static_cast<std::size_t>(v)].name, *enumerators_.at(v), splits_.at(v),
                                      [this, v](const std::vector<SplitState>& found) { execution_->add_splits(v, found); }};
  discoveries_.push_back(std::make_unique<SplitDiscovery>(source, execution_->scheduler(), lease_));
}

void Attempt::check_stop() {
  const bool time_over = out_of_rows_ || (options_.stop_after && clock_.steady() - started_ >= *options_.stop_after);
  tell_of_waiting();
  if (stopping_) return give_up_waiting();
  if (!stop_.signal && !time_over) return;
  stopping_ = true;
  looked_at_ = told_of_wait_ = clock_.steady();
  stopped_after_ = !stop_.signal;
  progress_->clear();
  spdlog::info("stopping: {}; taking a last checkpoint", stop_.signal   ? "asked by a signal"
                                                         : out_of_rows_ ? "enough rows were read"
                                                                        : "--stop-after is over");
  coordinator_->finish();
}

/// A checkpoint that takes long says every few seconds what it waits for.
void Attempt::tell_of_waiting() {
  const auto checkpoint = coordinator_->under_way();
  const Duration now = clock_.steady(), patience = Duration::seconds(stopping_ ? 5 : 10);
  if (!checkpoint || now - std::max(told_of_wait_, checkpoint->since) < patience) return;
  told_of_wait_ = now;
  progress_->clear();
  const std::string what =
      fmt::format("checkpoint {}, under way for {}: {}", checkpoint->epoch.value,
                  format_duration(Duration::seconds((now - checkpoint->since).micros / 1'000'000)), wait_text());
  if (stopping_)
    spdlog::info(
        "stopping: waiting for the last checkpoint ({}); a second signal ends the program at once, and the next start goes "
        "on from "
        "the checkpoint before",
        what);
  else spdlog::info("waiting for {}", what);
}

/// What the checkpoint under way waits for.
std::string Attempt::wait_text() const {
  const auto checkpoint = coordinator_->under_way();
  if (checkpoint->tasks.empty()) return checkpoint->doing;
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < checkpoint->tasks.size() && i < kNamed; ++i)
    names += (i ? ", " : "") + execution_->name(checkpoint->tasks[i]);
  if (checkpoint->tasks.size() > kNamed) names += fmt::format(" and {} more", checkpoint->tasks.size() - kNamed);
  return fmt::format("rows before it are under way, or what takes them does not answer, at {}", names);
}

/// A stop does not wait for ever for what takes the last rows: a broker that is away, a reader that stands still.
void Attempt::give_up_waiting() {
  std::uint64_t moved = 0;
  for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
    const VertexTotals t = execution_->totals(static_cast<int>(v));
    moved += t.rows_in + t.rows_out;
  }
  const auto checkpoint = coordinator_->under_way();
  const Duration now = clock_.steady();
  const bool stands = moved == rows_moved_ && checkpoint && !checkpoint->tasks.empty();
  // While the process itself stood still (suspended, say) nothing could move: between two looks a second counts at most.
  stood_still_ = stands ? stood_still_ + std::min(now - looked_at_, Duration::seconds(1)) : Duration{};
  rows_moved_ = moved;
  looked_at_ = now;
  if (stood_still_ < options_.stop_limit) return;
  throw Error(
      Blame::kEnvironment,
      fmt::format("no last checkpoint: nothing moved for {}: {}; what came behind checkpoint {} is not committed, the next "
                  "start reads it again",
                  format_duration(options_.stop_limit), wait_text(), std::max(claimed_, last_committed_).value));
}

void Attempt::on_snapshot(int task, Epoch epoch, TaskSnapshot snapshot) {
  lease_.post([this, task, epoch, snapshot = std::move(snapshot)]() mutable {
    coordinator_->on_snapshot(task, epoch, std::move(snapshot));
  });
}

void Attempt::on_finished(int task, TaskSnapshot snapshot) {
  lease_.post(
      [this, task, snapshot = std::move(snapshot)]() mutable { coordinator_->on_finished(task, std::move(snapshot)); });
}

void Attempt::on_failure(std::exception_ptr reason) {
  lease_.post([this, reason] {
    if (!failure_) failure_ = reason;
  });
}

void Attempt::on_checkpoint(const Manifest& manifest) {
  made_progress_ = true;
  progress_->on_checkpoint(manifest);
  progress_->clear();
  const auto figures = authority_->figures();
  const std::string commit = figures ? fmt::format(", commit {} ms", figures->last_commit.micros / 1000) : "";
  const bool tells = store_ && (told_of_state_.micros == 0 || clock_.steady() - told_of_state_ >= Duration::seconds(1));
  if (tells) told_of_state_ = clock_.steady();
  const std::string size = tells ? fmt::format(", {} bytes{}", manifest.bytes, state_text()) : "";
  spdlog::info("checkpoint {} committed ({} ms{}{})", manifest.id.value, manifest.duration_ms, commit, size);
}

/// What checkpoints and ended windows took is free afterwards, but held by the allocator: tens of megabytes within a second
/// where values are large. Where giving it back does not help, it is tried once a second only.
void Attempt::keep_within_memory() {
  const Duration now = clock_.steady();
  const std::uint64_t most = context_.memory + context_.memory / 8;
  if (now < give_back_after_ || resident_memory() <= most) return;
  give_memory_back();
  if (resident_memory() > most) give_back_after_ = now + Duration::seconds(1);
}

/// What the keyed steps hold in memory, and how long the slowest task stood still at the barrier; what is nothing is not
/// said.
std::string Attempt::state_text() const {
  VertexTotals all;
  for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
    const VertexTotals t = execution_->totals(static_cast<int>(v));
    all.state_rows += t.state_rows, all.state_bytes += t.state_bytes, all.state_reads += t.state_reads;
    all.freeze = std::max(all.freeze, t.freeze);
  }
  std::string text = fmt::format("; state in memory: {} rows", all.state_rows);
  if (all.state_bytes >> 20) text += fmt::format(", {} MiB", all.state_bytes >> 20);
  if (all.state_reads) text += fmt::format("; reads from disk: {}", all.state_reads);
  if (all.freeze >= 50'000) text += fmt::format("; barrier stall: {:.1f} ms", static_cast<double>(all.freeze) / 1e6);
  return text;
}

void Attempt::on_done(bool finished) { done_ = finished; }

}  // namespace weir
