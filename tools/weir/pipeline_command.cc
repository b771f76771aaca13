#include "tools/weir/pipeline_command.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <spdlog/spdlog.h>

#include "runtime/base/durable_files.h"
#include "runtime/base/error.h"
#include "runtime/base/printable.h"
#include "runtime/base/secrets.h"
#include "state/rocksdb/rocksdb_stores.h"
#include "tools/weir/wiring.h"

namespace weir {

namespace {

std::string read_file(const std::string& path) {
  if (is_folder(path)) throw Error(Blame::kUser, fmt::format("{} is a folder, not a pipeline file", path));
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    if (in && in.peek() == std::ifstream::traits_type::eof()) return {};
    throw Error(Blame::kUser, fmt::format("cannot read the pipeline file {}: {}", path, std::strerror(errno)));
  }
  return text.str();
}

/// A fixed hash of the file's text, for manifests: tells whether a checkpoint was written by the same file.
std::string text_hash(const std::string& text) {
  std::uint64_t h = 14695981039346656037ull;  // FNV-1a
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return fmt::format("{:016x}", h);
}

extern "C" void end_at_once(int signal) { _exit(128 + signal); }

/// From now on SIGTERM and SIGINT end the process, whatever it is doing, as soon as the calling thread lets them through.
void let_signals_end_at_once() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int s : {SIGTERM, SIGINT}) {
    std::signal(s, end_at_once);
    sigaddset(&signals, s);
  }
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

/// Waits for SIGTERM and SIGINT on a thread of its own: the first asks for a graceful stop, the second ends the process at
/// once, also while the log or the end of the job waits for something; so does the first where there is nothing to save, and
/// the end of --stop-after where the start still waits for a broker.
class SignalWatch {
 public:
  explicit SignalWatch(StopRequest& stop) : stop_(stop) {
    sigemptyset(&signals_);
    for (const int s : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals_, s);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);  // before any other thread is made: they inherit it
    thread_ = std::thread([this] { watch(); });
  }
  ~SignalWatch() {
    ending_ = true;
    pthread_kill(thread_.native_handle(), SIGUSR1);
    thread_.join();
    let_signals_end_at_once();
  }
  void set_job(Job* job) {
    std::lock_guard lock(mutex_);
    job_ = job;
  }
  /// A start that takes longer is given up: a look at brokers cannot be interrupted, and may take 15 s.
  void give_up_start_after(Duration time) {
    std::lock_guard lock(mutex_);
    give_up_at_ = SteadyClock::now() + std::chrono::microseconds(time.micros) + kGrace;
  }

 private:
  using SteadyClock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kGrace{500};  // in which the job may find out by itself

  void watch() {
    int signal = 0;
    while (!ending_ && signal != SIGTERM && signal != SIGINT) {
      const timespec pause{0, 200'000'000};
      signal = sigtimedwait(&signals_, nullptr, &pause);
      if (signal < 0) check_start();
    }
    if (ending_) return;
    stop_.signal = signal;
    let_signals_end_at_once();
    if (stop_.nothing_to_save) {
      spdlog::info("stopped: nothing was running");
      _exit(128 + signal);
    }
    {
      std::lock_guard lock(mutex_);
      if (job_) job_->wake();
    }
    sigset_t end;  // until then this is the thread that lets the next signal through
    sigemptyset(&end);
    sigaddset(&end, SIGUSR1);
    while (!ending_) sigwait(&end, &signal);
  }
  void check_start() {
    std::lock_guard lock(mutex_);
    if (!give_up_at_ || SteadyClock::now() < *give_up_at_ || !stop_.looking || !job_) return;
    spdlog::error(
        "--stop-after is over, and the start still waits for an answer of a broker: is one running at the addresses in "
        "`brokers`? "
        "Nothing was claimed or run");
    _exit(3);
  }

  StopRequest& stop_;
  sigset_t signals_;
  std::optional<SteadyClock::time_point> give_up_at_;  ///< under mutex_
  std::mutex mutex_;
  Job* job_ = nullptr;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace

std::unique_ptr<LoadedPipeline> load_pipeline(const std::string& path, const std::vector<std::string>& overrides,
                                              Looks looks) {
  auto loaded = std::make_unique<LoadedPipeline>();
  loaded->text = read_file(path);
  loaded->components = std::make_unique<Components>();
  add_all_components(*loaded->components);
  Diagnostics diagnostics;
  const ProcessEnvironment environment;
  auto file = read_pipeline(std::make_shared<const SourceText>(path, loaded->text), overrides, environment,
                            loaded->components->catalogue(), diagnostics);
  std::optional<Graph> graph;
  if (file) {
    loaded->file = std::move(*file);
    graph = build_graph(loaded->file, *loaded->components, diagnostics);
  }
  if (!diagnostics.empty()) std::fputs(diagnostics.format(looks.color).c_str(), stderr);
  if (diagnostics.has_errors() || !graph) return nullptr;
  loaded->graph = std::move(*graph);
  return loaded;
}

int validate_command(const std::vector<std::string>& paths, const std::vector<std::string>& overrides, Looks looks) {
  int code = 0;
  for (const std::string& path : paths) {
    try {
      if (load_pipeline(path, overrides, looks)) std::printf("%s: valid\n", path.c_str());
      else code = 2;
    } catch (const Error& e) {  // a file that cannot be read does not hide the others
      if (e.blame() != Blame::kUser) throw;
      std::fprintf(stderr, "weir: error: %s\n", printable_lines(masked(e.text())).c_str());
      code = 2;
    }
  }
  return code;
}

int run_command(const std::string& path, const std::vector<std::string>& overrides, JobOptions options, Looks looks) {
  StopRequest stop;
  SignalWatch signals(stop);
  const auto pipeline = load_pipeline(path, overrides, looks);
  if (!pipeline) return 2;
  options.pipeline_hash = text_hash(pipeline->text);
  options.authority_at = [&file = pipeline->file](AttemptContext& attempt, const std::string& name) {
    return authority_at(file, attempt, name);
  };
  options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const bool has_brokers = !pipeline->file.connections.empty();
  if (options.stop_after && has_brokers) signals.give_up_start_after(*options.stop_after);
  const auto stores = make_rocksdb_stores();
  Job job(pipeline->file, pipeline->graph, std::move(options), *stores, system_clock(), stop);
  signals.set_job(&job);
  JobEnd end;
  try {
    end = job.run();
  } catch (const Error& e) {
    signals.set_job(nullptr);
    // What the file or the rights lack shows only now: the file was valid, so it is the start that was refused.
    if (e.blame() == Blame::kUser) throw Error(Blame::kRefused, e.text());
    throw;
  } catch (...) {
    signals.set_job(nullptr);
    throw;
  }
  signals.set_job(nullptr);
  return end == JobEnd::kStopped ? 128 + stop.signal.load() : 0;
}

}  // namespace weir
