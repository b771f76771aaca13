#include "runtime/job/job.h"

#include <spdlog/spdlog.h>

#include "runtime/base/error.h"
#include "runtime/job/attempt.h"
#include "runtime/job/control.h"

namespace weir {

struct Job::Control {
  ControlLoop loop;
};

Job::Job(const PipelineFile& file, const Graph& graph, JobOptions options, MakeAuthority make_authority, const Clock& clock, StopRequest& stop)
    : file_(file), graph_(graph), options_(std::move(options)), make_authority_(std::move(make_authority)), clock_(clock), stop_(stop),
      control_(std::make_unique<Control>()) {}

Job::~Job() = default;

void Job::wake() { control_->loop.wake(); }

JobEnd Job::run() {
  int failures = 0;
  bool restarted = false;
  Duration backoff = file_.restart.backoff;
  while (true) {
    bool made_progress = false;
    std::string reason;
    try {
      CheckpointFolder folder(file_.checkpoint.dir, file_.name.text);
      Attempt attempt(file_, graph_, options_, restarted, folder, make_authority_, clock_, stop_, control_->loop);
      try {
        return attempt.run();
      } catch (...) {
        made_progress = attempt.made_progress();
        throw;
      }
    } catch (const Error& e) {
      if (!e.retriable()) throw;
      reason = e.text();
    }
    restarted = true;
    if (made_progress) failures = 0, backoff = file_.restart.backoff;
    if (stop_.signal) {
      spdlog::warn("{}; stopped before it could restart", reason);
      return JobEnd::kStopped;
    }
    if (++failures > file_.restart.attempts)
      throw Error(Blame::kEnvironment, fmt::format("{} (given up after {} restarts without progress; restart.attempts)", reason, failures - 1));
    spdlog::error("{}; restarting from the last committed checkpoint in {} (restart {} of {})", reason, format_duration(backoff), failures,
                  file_.restart.attempts);
    const Duration until = clock_.steady() + backoff;
    while (clock_.steady() < until && !stop_.signal) control_->loop.run_one(std::min(until - clock_.steady(), Duration::milliseconds(500)));
    if (stop_.signal) return JobEnd::kStopped;
    backoff = std::min(Duration{backoff.micros * 2}, file_.restart.max_backoff);
  }
}

}  // namespace weir
