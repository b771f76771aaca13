#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/support/pipeline_folder.h"
#include "tests/support/sanitizers.h"

// Jobs with state that run for long, or have very much of one thing. WEIR_TEST_MINUTES makes the long one longer.

namespace weir {
namespace {

using Catch::Matchers::Contains;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A line of /proc/PID/status, in MiB.
double memory_of(const Process& process, const std::string& name) {
  std::ifstream file(fmt::format("/proc/{}/status", process.pid()));
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1)) / 1024;
  throw std::runtime_error("no " + name + " in /proc: has the program ended?");
}

/// Runs to the end; the most memory that was seen.
double peak_of(Process& process, seconds limit) {
  double peak = 0;
  const auto end = std::chrono::steady_clock::now() + limit;
  while (process.running() && std::chrono::steady_clock::now() < end) {
    try {
      peak = std::max(peak, memory_of(process, "VmHWM"));
    } catch (const std::exception&) {  // it ended
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
  CHECK(process.wait(seconds(1)) == 0);
  return peak;
}

}  // namespace

TEST_CASE("a million tiny sessions come out, each once") {
  PipelineFolder folder(R"(
name: "${JOB}"
memory: 64MiB
checkpoint: { dir: checkpoints, interval: 500ms, retain: 1 }
sources:
  in:
    type: generator
    rows: 1000000
    select: { k: "(n * 7919) % 1000003", at: "timestamp '2024-01-01' + n * interval '10 microseconds'" }
    event_time: { column: at, max_out_of_orderness: 100ms }
steps:
  visits: { from: in, aggregate: { by: [k], window: { session: 100ms }, select: { n: count(*) } } }
sinks: { out: { from: visits, type: discard } }
)");
  Process run = folder.start({"--quiet"});
  const double peak = peak_of(run, seconds(300));
  INFO(run.errors());
  CHECK_THAT(run.errors(), Contains("1000000 rows in, 1000000 rows out"));
  if (!kSanitized) CHECK(peak < 1.3 * 64 + 16);  // about 70
}

TEST_CASE("at the end of the input more sessions close than memory holds") {
  PipelineFolder folder(R"(
name: "${JOB}"
memory: 16MiB
checkpoint: { dir: checkpoints, interval: 1h, retain: 1 }
sources:
  in:
    type: generator
    rows: 300000
    select: { k: "(n * 7919) % 1000003", at: "timestamp '2024-01-01' + n * interval '1 ms'" }
    event_time: { column: at, max_ahead: never }
steps:
  visits: { from: in, aggregate: { by: [k], window: { session: 1d }, select: { n: count(*) } } }
sinks: { out: { from: visits, type: discard } }
)");
  Process run = folder.start({"--quiet"});
  const double peak = peak_of(run, seconds(300));
  INFO(run.errors());
  CHECK_THAT(run.errors(), Contains("300000 rows in, 300000 rows out"));
  if (!kSanitized) CHECK(peak < 100);  // all sessions in memory at once take 160 MiB
}

TEST_CASE("a clock that goes back makes rows late and fires nothing twice") {
  PipelineFolder folder(R"(
name: "${JOB}"
parallelism: 2
checkpoint: { dir: checkpoints, interval: 50ms, retain: 1 }
sources:
  in:
    type: generator
    rows: 200000
    select:
      k: "n % 10"
      at: "timestamp '2024-01-01' + n * interval '1 ms' - (n / 50000) * interval '20 s'"
    event_time: { column: at, max_out_of_orderness: 0s, watermark_step: 0s, max_ahead: never }
steps:
  counted: { from: in, aggregate: { by: [k], window: { tumbling: 1s }, select: { n: count(*) } } }
sinks: { out: { from: counted, type: discard } }
)");
  const ProcessResult run = folder.run({"--quiet"});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  // Four stretches of 50 s, each beginning 20 s before the end of the last: 140 s of windows. Late are 3 x 19 s of rows: the
  // last window of a stretch has not fired when the next begins.
  CHECK_THAT(run.errors, Contains("200000 rows in, 1400 rows out") && Contains(", 57000 late (counted 57000) in "));
}

TEST_CASE("a job with state that expires runs on with constant memory") {
  const char* minutes = std::getenv("WEIR_TEST_MINUTES");
  const auto whole = milliseconds(static_cast<std::int64_t>((minutes ? std::atof(minutes) : 0.2) * 60'000));
  PipelineFolder folder(R"(
name: "${JOB}"
memory: 64MiB
checkpoint: { dir: checkpoints, interval: 500ms, retain: 2 }
sources:
  in:
    type: generator
    rate: 100000
    select: { k: "(n * 7919) % 100000007", g: "n % 1000", at: "timestamp '2024-01-01' + n * interval '10 microseconds'" }
    event_time: { column: at, max_out_of_orderness: 100ms, max_ahead: never }
steps:
  fresh: { from: in, dedup: { by: [k], within: 1s } }
  visits: { from: fresh, aggregate: { by: [k], window: { session: 500ms }, select: { n: count(*) } } }
  counted: { from: fresh, aggregate: { by: [g], window: { hopping: 2s, every: 500ms }, select: { n: count(*), d: count(distinct k % 7) } } }
sinks:
  out: { from: visits, type: discard }
  more: { from: counted, type: discard }
)");
  Process run = folder.start({"--quiet"});
  run.wait_for_line(" committed ");
  std::this_thread::sleep_for(whole / 2);
  const double before = memory_of(run, "VmHWM");
  std::this_thread::sleep_for(whole / 2);
  const double after = memory_of(run, "VmHWM");
  run.signal(SIGTERM);
  CHECK(run.wait() == 143);
  INFO(before << " MiB after half of the time, " << after << " MiB at the end");
  CHECK(after < before * (minutes ? 1.1 : 1.4));  // in seconds the caches are still filling
}

}  // namespace weir
