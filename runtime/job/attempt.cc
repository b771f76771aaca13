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

void prepare(AttemptContext& attempt, const JobSetting& setting, const Restarts& restarts, const CheckpointFolder& folder) {
  const PipelineFile& file = setting.file;
  attempt.job = file.name.text;
  attempt.run = new_run();
  attempt.home = folder.home();
  attempt.clock = &setting.clock();
  attempt.memory = static_cast<std::size_t>(file.memory ? *file.memory : memory_of_the_machine() / 4);
  attempt.timeout_factor = restarts.timeout_factor;
  attempt.commits = restarts.commits;
  attempt.checkpoint_interval = file.checkpoint.interval;
  attempt.max_drift = file.max_drift;
  attempt.batch_rows = setting.options.batch_rows;
  attempt.batch_bytes = std::clamp<std::size_t>(attempt.memory / 256, 64 << 10, 1 << 20);
  if (setting.options.stop_after_rows) attempt.rows_left = *setting.options.stop_after_rows;
  attempt.note = [](const std::string& text) { spdlog::warn("{}", text); };
}

Attempt::Attempt(const JobSetting& setting, const Restarts& restarts, CheckpointFolder& folder, AttemptContext& context,
                 AttemptRecord& record, Claimed claimed, ControlLoop& loop)
    : setting_(setting),
      clock_(setting.clock()),
      context_(context),
      record_(record),
      claimed_(std::move(claimed)),
      job_started_(restarts.job_started),
      state_(setting, folder, claimed_, context),
      loop_(loop),
      lease_(loop),
      relay_(lease_,
             [this](std::exception_ptr reason) {
               if (!failure_) failure_ = reason;
             }),
      plan_(make_plan(setting.graph, claimed_.base.parallelism, split_counts())),
      execution_(setting.graph, plan_, wired(context), setting.executor, relay_),
      coordinator_(
          coordinator_options(), claimed_.base, context.first_epoch, folder, *claimed_.authority, relay_, *this,
          execution_.scheduler().commits(), [this](std::function<void()> work) { lease_.post(std::move(work)); }, clock_,
          state_.store()),
      progress_(setting.graph, execution_, *claimed_.authority, clock_, setting.options.quiet),
      last_committed_(claimed_.epoch) {
  relay_.connect(execution_, coordinator_);
  Manifest claim;
  claim.id = claimed_.epoch;
  progress_.on_checkpoint(claim);
}

Attempt::~Attempt() { execution_.stop(); }

/// Lets the tasks reach the control thread.
AttemptContext& Attempt::wired(AttemptContext& context) {
  context.want_checkpoint = [this](Epoch epoch) { lease_.post([this, epoch] { coordinator_.want(epoch); }); };
  context.out_of_rows = [this] { lease_.post([this] { out_of_rows_ = true; }); };
  return context;
}

std::vector<int> Attempt::split_counts() const {
  std::vector<int> counts(setting_.graph.vertices.size(), 0);
  for (const ResolvedSource& source : claimed_.sources)
    counts[static_cast<std::size_t>(source.vertex)] = static_cast<int>(source.splits.size());
  return counts;
}

CoordinatorOptions Attempt::coordinator_options() const {
  CoordinatorOptions options;
  options.retain = static_cast<int>(setting_.file.checkpoint.retain);
  std::map<int, int> number_of_source;
  for (const ResolvedSource& source : claimed_.sources) {
    number_of_source.emplace(source.vertex, static_cast<int>(options.sources.size()));
    options.sources.push_back(setting_.graph.vertices[static_cast<std::size_t>(source.vertex)].name);
  }
  for (const Chain& chain : plan_.chains) {
    const auto source = number_of_source.find(chain.vertices.front());
    options.source_of_task.insert(options.source_of_task.end(), static_cast<std::size_t>(chain.parallelism),
                                  source == number_of_source.end() ? -1 : source->second);
  }
  return options;
}

JobEnd Attempt::run() {
  launch();
  while (!done_ && !failure_) {
    loop_.run_one(Duration::milliseconds(100));
    check_stop();
    coordinator_.hurry();
    progress_.update();
  }
  if (failure_) std::rethrow_exception(failure_);
  execution_.wind_up(last_committed_);
  progress_.clear();
  claimed_.authority->close();
  spdlog::info("{}", progress_.summary());
  if (*done_ && !stopping_) {
    spdlog::info("finished: everything up to the end of the input is done");
    return JobEnd::kFinished;
  }
  spdlog::info("stopped");
  return stopped_after_ ? JobEnd::kStoppedAfter : JobEnd::kStopped;
}

/// Gives the tasks their splits and lets them run.
void Attempt::launch() {
  for (ResolvedSource& source : claimed_.sources) {
    execution_.add_splits(source.vertex, source.splits);
    const bool bounded = setting_.graph.vertices[static_cast<std::size_t>(source.vertex)].source->bounded();
    if (bounded || source.enumerator->interval().micros == 0) execution_.no_more_splits(source.vertex);
    else discover_from_now_on(source);
  }
  execution_.start();
  const Duration interval = setting_.file.checkpoint.interval;
  if (state_.store()) lease_.every(Duration::milliseconds(200), [this] { keep_within_memory(); });
  if (interval.micros > 0) lease_.every(interval, [this] { coordinator_.tick(); });
  spdlog::info("running: {} {}, checkpoint every {}", execution_.tasks(), execution_.tasks() == 1 ? "task" : "tasks",
               format_duration(interval));
}

void Attempt::discover_from_now_on(ResolvedSource& source) {
  discoveries_.push_back(std::make_unique<SplitDiscovery>(
      SplitDiscovery::Source{
          setting_.graph.vertices[static_cast<std::size_t>(source.vertex)].name, *source.enumerator, source.splits,
          [this, v = source.vertex](const std::vector<SplitState>& found) { execution_.add_splits(v, found); }},
      execution_.scheduler(), lease_));
}

void Attempt::check_stop() {
  const auto& stop_after = setting_.options.stop_after;
  const int signal = setting_.stop.signal;
  tell_of_waiting();
  if (stopping_) return give_up_waiting();
  if (!signal && !out_of_rows_ && !(stop_after && clock_.steady() - job_started_ >= *stop_after)) return;
  told_of_wait_ = clock_.steady();
  stopping_.emplace(told_of_wait_);
  stopped_after_ = !signal;
  for (const auto& discovery : discoveries_) discovery->stop();
  progress_.clear();
  spdlog::info("stopping: {}; taking a last checkpoint", signal         ? "asked by a signal"
                                                         : out_of_rows_ ? "enough rows were read"
                                                                        : "--stop-after is over");
  coordinator_.finish();
}

/// A checkpoint that takes long says every few seconds what it waits for.
void Attempt::tell_of_waiting() {
  const auto checkpoint = coordinator_.under_way();
  const Duration now = clock_.steady(), patience = Duration::seconds(stopping_ ? 5 : 10);
  if (!checkpoint || now - std::max(told_of_wait_, checkpoint->since) < patience) return;
  told_of_wait_ = now;
  progress_.clear();
  const std::string what =
      fmt::format("checkpoint {}, under way for {}: {}", checkpoint->epoch.value,
                  format_duration(Duration::seconds((now - checkpoint->since).micros / 1'000'000)), wait_text());
  if (stopping_)
    spdlog::info(
        "stopping: waiting for the last checkpoint ({}); a second signal ends the program at once, and the next start goes "
        "on from the checkpoint before",
        what);
  else spdlog::info("waiting for {}", what);
}

/// What the checkpoint under way waits for.
std::string Attempt::wait_text() const {
  const auto checkpoint = coordinator_.under_way();
  if (checkpoint->tasks.empty()) return checkpoint->doing;
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < checkpoint->tasks.size() && i < kNamed; ++i)
    names += (i ? ", " : "") + execution_.name(checkpoint->tasks[i]);
  if (checkpoint->tasks.size() > kNamed) names += fmt::format(" and {} more", checkpoint->tasks.size() - kNamed);
  return fmt::format("rows before it are under way, or what takes them does not answer, at {}", names);
}

/// A stop does not wait for ever for what takes the last rows: a broker that is away, a reader that stands still.
void Attempt::give_up_waiting() {
  std::uint64_t moved = 0;
  for (std::size_t v = 0; v < setting_.graph.vertices.size(); ++v) {
    const VertexTotals t = execution_.totals(static_cast<int>(v));
    moved += t.rows_in + t.rows_out;
  }
  const auto checkpoint = coordinator_.under_way();
  const Duration limit = setting_.options.stop_limit;
  if (stopping_->look(clock_.steady(), moved, checkpoint && !checkpoint->tasks.empty()) < limit) return;
  throw Error(
      Blame::kEnvironment,
      fmt::format("no last checkpoint: nothing moved for {}: {}; what came behind checkpoint {} is not committed, the next "
                  "start reads it again",
                  format_duration(limit), wait_text(), last_committed_.value));
}

void Attempt::on_checkpoint(const Manifest& manifest) {
  record_.made_progress = true;
  last_committed_ = manifest.id;
  progress_.on_checkpoint(manifest);
  progress_.clear();
  const auto figures = claimed_.authority->figures();
  const std::string commit = figures ? fmt::format(", commit {} ms", figures->last_commit.micros / 1000) : "";
  const bool tells =
      state_.store() && (told_of_state_.micros == 0 || clock_.steady() - told_of_state_ >= Duration::seconds(1));
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
  for (std::size_t v = 0; v < setting_.graph.vertices.size(); ++v) {
    const VertexTotals t = execution_.totals(static_cast<int>(v));
    all.state_rows += t.state_rows, all.state_bytes += t.state_bytes, all.state_reads += t.state_reads;
    all.freeze = std::max(all.freeze, t.freeze);
  }
  std::string text = fmt::format("; state in memory: {} rows", all.state_rows);
  if (all.state_bytes >> 20) text += fmt::format(", {} MiB", all.state_bytes >> 20);
  if (all.state_reads) text += fmt::format("; reads from disk: {}", all.state_reads);
  if (all.freeze >= 50'000) text += fmt::format("; barrier stall: {:.1f} ms", static_cast<double>(all.freeze) / 1e6);
  return text;
}

}  // namespace weir
