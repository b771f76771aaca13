#include "tests/broker/exactly_once_job.h"
#include "tests/support/broker_control.h"
#include "tests/support/sanitizers.h"

using namespace weir;
using Catch::Contains;

// The broker ends transactions that are open for too long, and goes away itself; nothing is lost or doubled by either.

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{60};  ///< for what takes a second or two on a machine that has nothing else to do

/// A broker that looks for transactions to abort every 100 ms, not every 10 s.
BrokerControl& hasty_broker() {
  static BrokerControl broker({"transaction.abort.timed.out.transaction.cleanup.interval.ms=100"});
  return broker;
}

/// A job whose transactions time out after two seconds.
struct HastyJob : ExactlyOnceJob {
  HastyJob() : ExactlyOnceJob(hasty_broker().brokers()) {
    connection = ", transaction_timeout: 2s";
    write();
  }
  /// Stops the process for longer than a transaction may last and continues it, again and again until that has ended a
  /// transaction with rows in it: then the job restarts, or dies of it.
  void stop_until_timed_out(Process& process) {
    const int before = process.count_lines("restarting");
    const auto noticed = [&] { return !process.running() || process.count_lines("restarting") > before; };
    for (const auto end = Clock::now() + kPatience; !noticed() && Clock::now() < end;) {
      process.signal(SIGSTOP);
      std::this_thread::sleep_for(std::chrono::seconds(5));  // the time-out is 4 s after one that passed
      process.signal(SIGCONT);
      for (int i = 0; i < 20 && !noticed(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (!noticed()) throw std::runtime_error("no transaction timed out\n" + process.errors());
  }
};

}  // namespace

TEST_CASE("killed after the checkpoint was prepared and started after its transaction timed out", "[broker][eos]") {
  HastyJob job;
  ExactlyOnceJob::Feeder feeder(job, 1000);
  const char* point = GENERATE("after-prepare:2", "after-send-offsets:3", "after-commit:2");
  INFO(point);
  CHECK(job.run({}, {{"WEIR_CRASH_AT", point}}).exit_code == 128 + SIGKILL);
  const int rows = feeder.stop();
  // About two seconds; on a busy machine the broker takes its time.
  for (int i = 0; i < 600 && job.transaction_open(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK_FALSE(job.transaction_open());
  job.run_until(static_cast<std::size_t>(rows));
  CHECK(job.difference(rows) == "");
}

TEST_CASE("stopped past the time-out of its transactions and continued, the job goes on by itself", "[broker][eos]") {
  HastyJob job;
  ExactlyOnceJob::Feeder feeder(job, 1000);
  const auto process = job.start();
  job.wait_for_rows(500);
  job.stop_until_timed_out(*process);
  job.wait_for_rows(job.client.consume_values(job.out).size() + 500);
  job.stop_until_timed_out(*process);
  const int rows = feeder.stop();
  job.stop_at(*process, static_cast<std::size_t>(rows));
  CHECK_THAT(process->errors(), Contains("restarting from the last committed checkpoint"));
  CHECK_THAT(process->errors(), Contains(" aborted") && !Contains(" 0 aborted"));
  CHECK(job.difference(rows) == "");
}

TEST_CASE("killed while it restarts inside the process", "[broker][eos]") {
  HastyJob job;
  ExactlyOnceJob::Feeder feeder(job, 500);
  for (const char* point : {"after-init:2", "during-restore:2", "after-claim:2"}) {
    const auto process = job.start({}, {{"WEIR_CRASH_AT", point}});
    process->wait_for_line("committed", kPatience, 2);
    job.stop_until_timed_out(*process);
    const int code = process->wait();
    INFO(point << "\n" << process->errors());
    CHECK(code == 128 + SIGKILL);
  }
  const int rows = feeder.stop();
  job.run_until(static_cast<std::size_t>(rows));
  CHECK(job.difference(rows) == "");
}

TEST_CASE("an open transaction that gets old brings the next checkpoint forward", "[broker][eos]") {
  HastyJob job;
  job.interval = "1h";
  job.connection = ", transaction_timeout: 10s";
  job.write();
  const auto process = job.start();
  process->wait_for_line("running");
  job.feed(0, 100);
  process->wait_for_line("checkpoint 2 committed", kPatience);
  job.wait_for_rows(100);
  process->signal(SIGTERM);
  CHECK(process->wait() == 143);
  CHECK_THAT(process->errors(), !Contains("restarting"));
}

TEST_CASE("a checkpoint that takes more than half of the transaction time-out is warned of", "[broker][eos]") {
  HastyJob job;
  job.connection = ", transaction_timeout: 10s";
  job.write();
  job.feed(0, 100);
  const auto process = job.start({}, {{"WEIR_SLOW_TASK", "out:5500"}});
  process->wait_for_line("took more than half of the transaction time-out", kPatience);
  process->signal(SIGTERM);
  CHECK(process->wait() == 143);
}

TEST_CASE("after time-outs of its own the job doubles them up to what the broker allows, then fails and names it",
          "[broker][eos]") {
  BrokerControl broker(
      {"transaction.abort.timed.out.transaction.cleanup.interval.ms=100", "transaction.max.timeout.ms=5000"});
  ExactlyOnceJob job(broker.brokers());
  job.connection = ", transaction_timeout: 2s";
  job.write();
  job.feed(0, 100);
  const ProcessResult end = job.run({}, {{"WEIR_SLOW_TASK", "out:7000"}});
  INFO(end.errors);
  CHECK(end.exit_code == 3);
  CHECK_THAT(end.errors, Contains("it is 4s from now on") && Contains("it is 5s from now on"));
  CHECK_THAT(end.errors, Contains("transaction.max.timeout.ms") && Contains("5s (5000 ms)"));
  job.run_until(100);
  CHECK(job.difference(100) == "");
}

TEST_CASE("a job whose broker hangs can be stopped, and has lost nothing", "[broker][eos]") {
  BrokerControl broker;
  ExactlyOnceJob job(broker.brokers());
  job.connection = ", transaction_timeout: 5s";
  job.source = ", group: " + unique_name("readers");
  job.write();
  ExactlyOnceJob::Feeder feeder(job, 1000);
  const auto process = job.start();
  job.wait_for_rows(500);
  const int rows = feeder.stop();
  job.feed(rows, rows + 100);
  broker.freeze();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  process->signal(SIGTERM);
  const int code = process->wait(std::chrono::seconds(30 * (kSanitized ? 3 : 1)));
  INFO(process->errors());
  CHECK(code == 143);
  broker.thaw();
  job.run_until(static_cast<std::size_t>(rows + 100));
  CHECK(job.difference(rows + 100) == "");
}

TEST_CASE("the broker is killed three times under load", "[broker][eos]") {
  HastyJob job;
  job.connection = "";
  const int rows = 12'000;
  job.source = ExactlyOnceJob::ends_after(rows);
  job.write();
  job.feed(0, 4000);
  const auto process = job.start({}, {{"WEIR_SLOW_TASK", "out:15"}});
  for (int i = 0; i < 3; ++i) {
    job.wait_for_rows(static_cast<std::size_t>(4000 * i + 1), std::chrono::seconds(60));
    hasty_broker().kill();
    hasty_broker().start();
    if (i < 2) job.feed(4000 * (i + 1), 4000 * (i + 2));
  }
  const int code = process->wait(std::chrono::seconds(90));
  INFO(process->errors());
  CHECK(code == 0);
  CHECK(job.difference(rows) == "");
}
