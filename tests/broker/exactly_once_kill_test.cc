#include "tests/broker/exactly_once_job.h"

#include <random>

#include "tests/support/broker_control.h"

using namespace weir;

// A job with an exactly-once sink is killed, stopped, cut off; in the end the output holds every row once, in order.

namespace {

/// How often the random test kills: WEIR_KILLS, or 30.
int kills_wanted() {
  const char* wanted = std::getenv("WEIR_KILLS");
  return wanted ? std::atoi(wanted) : 30;
}

const std::map<std::string, std::string> kSlow = {{"WEIR_SLOW_TASK", "out:15"}};

}  // namespace

TEST_CASE("killed at random, the job has every row once", "[broker][eos]") {
  ExactlyOnceJob job;
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  ExactlyOnceJob::Feeder feeder(job, 4000);
  for (int kill = 0, kills = kills_wanted(); kill < kills; ++kill) {
    const auto process = job.start({}, kSlow);
    // Half of them while it starts, some behind a checkpoint however slow the machine is.
    if (kill % 6 == 2) process->wait_for_line(" committed (", std::chrono::seconds(60));
    std::this_thread::sleep_for(std::chrono::milliseconds(kill % 2 ? random() % 150 : 100 + random() % 1200));
    process->kill();
  }
  const int rows = feeder.stop();
  job.run_until(static_cast<std::size_t>(rows), {}, kSlow);
  CHECK(job.difference(rows) == "");
}

TEST_CASE("killed at each named point, the job has every row once", "[broker][eos]") {
  ExactlyOnceJob job;
  job.parallelism = GENERATE(2, 4);
  job.write();
  ExactlyOnceJob::Feeder feeder(job, 2000);
  for (const char* point : {"after-init", "after-send-offsets:1", "after-claim", "during-restore", "after-flush:3",
                            "after-prepare:2", "after-send-offsets:3", "after-commit:2", "during-rename:2"}) {
    auto environment = kSlow;
    environment["WEIR_CRASH_AT"] = point;
    const ProcessResult end = job.run({}, environment);
    INFO(point << "\n" << end.errors);
    CHECK(end.exit_code == 128 + SIGKILL);
  }
  const int rows = feeder.stop();
  job.run_until(static_cast<std::size_t>(rows), {}, kSlow);
  CHECK(job.difference(rows) == "");
}

namespace {

/// A folder on a file system of its own, with little room. Needs the right to mount.
class SmallDisk {
 public:
  explicit SmallDisk(const std::filesystem::path& folder) : folder_(folder) {
    std::filesystem::create_directories(folder);
    mounted_ = run_process("/bin/mount", {"-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.string()}).exit_code == 0;
  }
  ~SmallDisk() {
    if (mounted_) run_process("/bin/umount", {"-l", folder_.string()});
  }
  bool mounted() const { return mounted_; }
  void fill() { run_process("/bin/dd", {"if=/dev/zero", "of=" + (folder_ / "full").string(), "bs=1k"}); }
  void empty() { std::filesystem::remove(folder_ / "full"); }

 private:
  std::filesystem::path folder_;
  bool mounted_ = false;
};

}  // namespace

TEST_CASE("the checkpoint folder's disk is full for a while", "[broker][eos]") {
  ExactlyOnceJob job;
  SmallDisk disk(job.folder / "checkpoints");
  if (!disk.mounted()) {
    WARN("no small disk without the right to mount one");
    return;
  }
  ExactlyOnceJob::Feeder feeder(job, 2000);
  const auto process = job.start();
  process->wait_for_line("committed", std::chrono::seconds(20), 3);
  disk.fill();
  process->wait_for_line("restarting", std::chrono::seconds(20), 2);
  disk.empty();
  const int rows = feeder.stop();
  job.stop_at(*process, static_cast<std::size_t>(rows));
  CHECK(job.difference(rows) == "");
}
