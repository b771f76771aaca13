#include "tests/broker/exactly_once_job.h"
#include "tests/support/broker_control.h"

using namespace weir;
using Catch::Contains;

// The broker ends transactions that are open for too long, and goes away itself; nothing is lost or doubled by either.

namespace {

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
  for (int i = 0; i < 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    process->signal(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::seconds(3));
    process->signal(SIGCONT);
  }
  const int rows = feeder.stop();
  job.stop_at(*process, static_cast<std::size_t>(rows));
  CHECK_THAT(process->errors(), Contains("restarting from the last committed checkpoint"));
  CHECK(job.difference(rows) == "");
}

TEST_CASE("killed while it restarts inside the process", "[broker][eos]") {
  HastyJob job;
  ExactlyOnceJob::Feeder feeder(job, 500);
  for (const char* point : {"after-init:2", "during-restore:2", "after-claim:2"}) {
    const auto process = job.start({}, {{"WEIR_CRASH_AT", point}});
    process->wait_for_line("committed", std::chrono::seconds(20), 2);
    // Again where it stopped between two transactions, which time out only once they hold rows.
    for (int stops = 0; stops < 10 && process->running(); ++stops) {
      process->signal(SIGSTOP);
      std::this_thread::sleep_for(std::chrono::seconds(3));
      process->signal(SIGCONT);
      for (int i = 0; i < 20 && process->running() && process->count_lines("restarting") == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (process->count_lines("restarting") > 0) break;
    }
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
  job.write();
  const auto process = job.start();
  process->wait_for_line("running");
  job.feed(0, 100);
  process->wait_for_line("checkpoint 2 committed", std::chrono::seconds(10));
  job.wait_for_rows(100);
  process->signal(SIGTERM);
  CHECK(process->wait() == 143);
  CHECK_THAT(process->errors(), !Contains("restarting"));
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
