#include <catch2/catch.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "runtime/job/job.h"
#include "state/rocksdb/rocksdb_stores.h"
#include "tests/support/pipeline_folder.h"
#include "tools/weir/pipeline_command.h"

// Whole jobs, on threads, over a store that holds deltas until it is told: rows change, windows fire, memory runs out and
// tasks end while a freeze is in flight.

namespace weir {
namespace {

/// Holds every ingestion while it is closed.
class Gate {
 public:
  void close() { set(true); }
  void open() { set(false); }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !closed_; });
    --waiting_;
  }
  /// Waits until an ingestion is held.
  bool wait_held(std::chrono::seconds limit = std::chrono::seconds(60)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [&] { return waiting_ > 0 && closed_; });
  }

 private:
  void set(bool closed) {
    std::lock_guard lock(mutex_);
    closed_ = closed;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  int waiting_ = 0;
};

class HeldStore final : public StateStore {
 public:
  HeldStore(std::unique_ptr<StateStore> store, Gate& gate) : store_(std::move(store)), gate_(gate) {}
  const std::vector<std::string>& tables() const override { return store_->tables(); }
  bool get(StateTableId table, std::string_view key, std::string& value) const override {
    return store_->get(table, key, value);
  }
  std::unique_ptr<StateCursor> scan(StateTableId table, std::string_view begin, std::string_view end) const override {
    return store_->scan(table, begin, end);
  }
  Size size(StateTableId table) const override { return store_->size(table); }
  void ingest(const EpochDelta& delta) override {
    gate_.pass();
    store_->ingest(delta);
  }
  std::vector<StateFile> checkpoint(const std::filesystem::path& folder) override { return store_->checkpoint(folder); }

 private:
  const std::unique_ptr<StateStore> store_;
  Gate& gate_;
};

class HeldStores final : public StateStores {
 public:
  explicit HeldStores(Gate& gate) : gate_(gate) {}
  std::unique_ptr<StateStore> create(const std::filesystem::path& work, const StateStoreOptions& options) override {
    return std::make_unique<HeldStore>(stores_->create(work, options), gate_);
  }
  std::unique_ptr<StateStore> restore(const std::filesystem::path& work, const std::filesystem::path& from,
                                      const StateStoreOptions& options) override {
    return std::make_unique<HeldStore>(stores_->restore(work, from, options), gate_);
  }
  std::unique_ptr<StateReader> read(const std::filesystem::path& from) override { return stores_->read(from); }

 private:
  const std::unique_ptr<StateStores> stores_ = make_rocksdb_stores();
  Gate& gate_;
};

/// The program's log while it lives.
class Log {
 public:
  Log() : before_(spdlog::default_logger()) {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", std::make_shared<Sink>(*this)));
  }
  ~Log() { spdlog::set_default_logger(before_); }
  bool has(const std::string& text) const {
    std::lock_guard lock(mutex_);
    return text_.find(text) != std::string::npos;
  }

 private:
  class Sink final : public spdlog::sinks::base_sink<std::mutex> {
   public:
    explicit Sink(Log& log) : log_(log) {}
    void sink_it_(const spdlog::details::log_msg& message) override {
      std::lock_guard lock(log_.mutex_);
      log_.text_.append(message.payload.data(), message.payload.size()) += '\n';
    }
    void flush_() override {}

   private:
    Log& log_;
  };
  std::shared_ptr<spdlog::logger> before_;
  mutable std::mutex mutex_;
  std::string text_;
};

/// A job in a folder of its own, in this process.
class HeldJob {
 public:
  HeldJob(const std::string& source, const std::string& step, const std::string& changelog = "")
      : yaml_(fmt::format(R"(
name: held
memory: 16MiB
checkpoint: {{ dir: "{0}/checkpoints", interval: 20ms, retain: 2 }}
sources: {{ in: {{ type: generator, {1} }} }}
steps: {{ kept: {{ from: in, {2} }} }}
sinks: {{ out: {{ from: kept, type: file, path: "{0}/out", format: json{3} }} }}
)",
                          folder_.path().string(), source, step, changelog)) {}

  JobEnd run(Gate& gate, int parallelism, std::optional<std::int64_t> rows = std::nullopt) {
    const auto pipeline =
        load_pipeline(folder_.write("p.yaml", yaml_).string(), {"parallelism=" + std::to_string(parallelism)}, {});
    if (!pipeline) throw std::runtime_error("the pipeline is not valid");
    JobOptions options;
    options.quiet = true;
    options.threads = 2;
    options.stop_after_rows = rows;
    StopRequest stop;
    HeldStores stores(gate);
    return Job(pipeline->file, pipeline->graph, options, stores, system_clock(), stop).run();
  }

  std::multiset<std::string> rows() const {
    std::multiset<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "out"))
      if (!entry.path().filename().string().starts_with("."))
        for (std::string& line : lines_in(read_file(entry.path()))) found.insert(std::move(line));
    return found;
  }

 private:
  TemporaryFolder folder_;
  std::string yaml_;
};

/// Rows 1 ms apart, in some disorder, of a thousand keys.
const std::string kSource =
    "rows: 60000, rate: 60000, select: { k: \"n * 7919 % 1000\", v: n, at: \"timestamp '2024-01-01' + (n / 8 * 8 + (n * 5) "
    "% 8) * interval '1 ms'\" }, "
    "event_time: { column: at, max_out_of_orderness: 10ms, max_ahead: never }";

/// The same rows however long deltas are held, in one run and with a restart with another parallelism.
void holding_changes_nothing(const std::string& step, const std::string& changelog = "") {
  Gate open;
  HeldJob plain(kSource, step, changelog);
  REQUIRE(plain.run(open, 1) == JobEnd::kFinished);
  const auto expected = plain.rows();
  REQUIRE(expected.size() > 100);

  Gate gate;
  std::atomic<bool> done{false};
  std::thread holder([&] {
    for (int i = 0; !done; ++i) {
      gate.close();
      gate.wait_held(std::chrono::seconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(i % 4 * 20));
      gate.open();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  HeldJob held(kSource, step, changelog);
  const JobEnd first = held.run(gate, 2, 20'000), second = held.run(gate, 3, 20'000), third = held.run(gate, 1);
  done = true;
  holder.join();
  CHECK(first == JobEnd::kStoppedAfter);
  CHECK(second == JobEnd::kStoppedAfter);
  CHECK(third == JobEnd::kFinished);
  CHECK(held.rows() == expected);
}

}  // namespace

TEST_CASE("windows fire and tasks end while deltas are held") {
  holding_changes_nothing("aggregate: { by: [k], window: { tumbling: 5s }, select: { n: count(*), s: sum(v) } }");
  holding_changes_nothing("aggregate: { by: [k], window: { hopping: 9s, every: 3s }, select: { n: count(*), l: last(v) } }");
}

TEST_CASE("sessions merge and end while deltas are held") {
  holding_changes_nothing("aggregate: { by: [k], window: { session: 900ms }, select: { n: count(*), s: sum(v) } }");
}

TEST_CASE("keys are forgotten while deltas are held") { holding_changes_nothing("dedup: { by: [k], within: 3s }"); }

TEST_CASE("when changed rows fill the memory while a delta is held, rows wait and go on when it is ingested") {
  const std::string source = "rows: 120000, select: { k: \"n * 7919 % 120000\", v: n }";
  HeldJob job(source, "dedup: { by: [k] }");
  Gate gate;
  gate.close();
  const Log log;
  std::optional<JobEnd> end;
  std::thread runner([&] { end = job.run(gate, 2); });
  const bool held = gate.wait_held();
  bool waits = false;
  for (int i = 0; i < 3000 && !waits; ++i) {
    waits = log.has("waiting for checkpoint 2");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  gate.open();
  runner.join();
  CHECK(held);
  CHECK(waits);
  CHECK(end == JobEnd::kFinished);
  CHECK(job.rows().size() == 120'000);
}

}  // namespace weir
