#include "runtime/job/job.h"

#include <spdlog/spdlog.h>

#include "runtime/base/error.h"
#include "runtime/exec/asio_executor.h"
#include "runtime/job/attempt.h"
#include "runtime/job/authority.h"
#include "runtime/job/control.h"
#include "runtime/job/failure.h"
#include "runtime/job/recovery.h"

namespace weir {

struct Job::Control {
  explicit Control(int threads, const Clock& clock) : executor({.tasks = threads}, clock) {}
  AsioExecutor executor;
  ControlLoop loop;
};

Job::Job(const PipelineFile& file, const Graph& graph, JobOptions options, StateStores& stores, const Clock& clock,
         StopRequest& stop)
    : file_(file),
      graph_(graph),
      options_(std::move(options)),
      stores_(stores),
      clock_(clock),
      stop_(stop),
      started_(clock.steady()),
      control_(std::make_unique<Control>(options_.threads, clock)) {}

Job::~Job() = default;

void Job::wake() { control_->loop.wake(); }

JobEnd Job::run() {
  const JobSetting setting{file_, graph_, options_, stores_, control_->executor, stop_};
  CommitCounters commits;
  Restarts restarts{.job_started = started_, .claimed = {}, .commits = &commits};
  int failures = 0;
  Duration backoff = file_.restart.backoff;
  std::optional<Duration> fenced_at;
  while (true) {
    bool made_progress = false;
    std::vector<RunId> ours;  // runs whose marker is no sign of another instance; first that of the attempt
    std::string reason;
    Duration wait{};
    try {
      CheckpointFolder folder(file_.checkpoint.dir, file_.name.text);
      AttemptContext context;
      AttemptRecord record;
      prepare(context, setting, restarts, folder);
      restarts.runs.push_back(context.run);
      ours.assign(restarts.runs.rbegin(), restarts.runs.rend());
      try {
        stop_.nothing_to_save = stop_.looking = true;
        std::optional<Claimed> claimed = Recovery(setting, restarts, folder, context, record).run();
        if (!claimed) return JobEnd::kFinished;
        Attempt attempt(setting, restarts, folder, context, record, std::move(*claimed), control_->loop);
        stop_.nothing_to_save = false;
        return attempt.run();
      } catch (...) {
        made_progress = record.made_progress;
        if (record.claimed) restarts.claimed = record.claimed;
        if (record.restored) ours.push_back(record.restored->run);
        throw;
      }
    } catch (...) {
      const std::optional<Error> failure = failure_of(std::current_exception());
      if (!failure) throw;
      const Error& e = *failure;
      if (e.blame() != Blame::kFenced && !e.retriable()) throw e;
      reason = e.text();
      if (made_progress) failures = 0, backoff = file_.restart.backoff, restarts.timeout_factor = 1;
      restarts.timed_out = e.code() == ErrorCode::kTransactionTimeout;
      if (restarts.timed_out) {
        refuse_if_taken_over(ours, reason);  // while this one stood still
        restarts.timeout_factor *= 2;
      }
      if (e.blame() == Blame::kFenced) {
        judge_fenced(ours, reason, fenced_at);
        fenced_at = clock_.steady();
      } else {
        wait = backoff;
        backoff = std::min(Duration{backoff.micros * 2}, file_.restart.max_backoff);
      }
    }
    ++restarts.count;
    const bool stopping = stop_.signal || time_is_over();
    if (!stopping && ++failures > file_.restart.attempts)
      throw Error(Blame::kEnvironment,
                  fmt::format("{} (given up after {} restarts without progress; restart.attempts)", reason, failures - 1));
    if (!stopping)
      spdlog::error("{}; {} in {} (restart {} of {})", reason,
                    restarts.claimed ? "restarting from the last committed checkpoint" : "starting again",
                    format_duration(wait), failures, file_.restart.attempts);
    if (!stopping) pause(wait);
    if (stop_.signal) {
      spdlog::warn("stopped before it could restart: {}", reason);
      return JobEnd::kStopped;
    }
    if (time_is_over())
      throw Error(Blame::kEnvironment, fmt::format("{} (--stop-after is over, before it could restart)", reason));
  }
}

bool Job::time_is_over() const { return options_.stop_after && clock_.steady() - started_ >= *options_.stop_after; }

/// Waits on the control thread, until a stop is asked for.
void Job::pause(Duration wait) {
  const Duration until = clock_.steady() + wait;
  while (clock_.steady() < until && !stop_.signal && !time_is_over())
    control_->loop.run_one(std::min(until - clock_.steady(), Duration::milliseconds(500)));
}

/// The marker of a run that is none of ours, as far as it can be seen: nothing where the cluster does not answer.
std::optional<Marker> Job::other_run(const std::vector<RunId>& ours) const {
  AttemptContext context;
  context.job = file_.name.text;
  context.clock = &clock_;
  try {
    const AuthorityAnswer answer = make_authority(graph_, context)->inspect();
    if (!answer.moved_to.empty())
      throw Error(Blame::kFenced,
                  fmt::format("the job {} was taken over: it moved to {}", file_.name.text, answer.moved_to));
    if (answer.marker && std::find(ours.begin(), ours.end(), answer.marker->run) == ours.end()) return answer.marker;
  } catch (const Error& e) {
    if (!e.retriable()) throw;
    spdlog::warn("who took over cannot be seen: {}", e.text());
  }
  return std::nullopt;
}

void Job::refuse_if_taken_over(const std::vector<RunId>& ours, const std::string& reason) const {
  const auto m = other_run(ours);
  if (m)
    throw Error(
        Blame::kFenced,
        fmt::format("another instance of the job {} took over: its run {} committed checkpoint {}; this was run {} ({})",
                    file_.name.text, m->run.value, m->epoch.value, ours.front().value, reason));
}

/// Another instance fenced this run, or the broker did after a time-out. Returns if the job may restart; throws
/// Error(kFenced) if another instance goes on.
void Job::judge_fenced(const std::vector<RunId>& ours, const std::string& reason, std::optional<Duration> fenced_before) {
  refuse_if_taken_over(ours, reason);
  spdlog::warn("fenced, but no other run has committed ({}); looking again in 10 s", reason);
  pause(Duration::seconds(10));
  if (stop_.signal) return;
  refuse_if_taken_over(ours, reason);
  if (fenced_before && clock_.steady() - *fenced_before < Duration::seconds(60))
    throw Error(Blame::kFenced, fmt::format("two instances of this name: the job {} was fenced twice within a minute ({})",
                                            file_.name.text, reason));
}

}  // namespace weir
