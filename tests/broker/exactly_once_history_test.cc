#include <fstream>
#include <set>

#include "tests/broker/exactly_once_job.h"
#include "tests/support/broker_control.h"

using namespace weir;
using Catch::Contains;
namespace fs = std::filesystem;

// What can happen between two starts: each with its exit code, what is said, and what the output holds.

namespace {

/// A job that has written rows [0, rows) and was stopped in good order.
struct StoppedJob : ExactlyOnceJob {
  explicit StoppedJob(int rows = 400) {
    feed(0, rows);
    run_until(static_cast<std::size_t>(rows));
  }
  /// The newest committed checkpoint.
  fs::path newest() const {
    fs::path newest;
    for (const auto& entry : fs::directory_iterator(job_folder()))
      if (entry.path().filename().string().starts_with("chk-") && !entry.path().has_extension() && entry.path() > newest)
        newest = entry.path();
    return newest;
  }
  int newest_number() const { return std::stoi(newest().filename().string().substr(4)); }
};

/// Copies the folder of a job, so that `file` runs with the copy.
fs::path copy_of(const ExactlyOnceJob& job, const std::string& as) {
  const fs::path folder = job.folder / as;
  fs::create_directories(folder);
  fs::copy(job.job_folder(), folder / job.name, fs::copy_options::recursive);
  fs::remove(folder / job.name / "LOCK");
  return folder;
}

/// The ids that begin with `prefix` among the keys of one of the broker's own topics: a version of two bytes, then a text
/// with its length before it.
std::set<std::string> names_in(KafkaClient& client, const std::string& topic, const std::string& prefix) {
  std::set<std::string> names;
  for (const KafkaRecord& r : client.consume(topic, Isolation::kReadUncommitted)) {
    if (!r.key || r.key->size() < 4) continue;
    const auto size =
        static_cast<std::size_t>(static_cast<unsigned char>((*r.key)[2]) << 8 | static_cast<unsigned char>((*r.key)[3]));
    if (const std::string name = r.key->substr(4, size); name.starts_with(prefix)) names.insert(name);
  }
  return names;
}

std::vector<std::string> in_folder(const fs::path& folder, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--set", "checkpoint.dir=" + folder.string()});
  return more;
}

}  // namespace

TEST_CASE("a second instance on a copied folder fences the first, which says so and is refused later", "[broker][eos]") {
  ExactlyOnceJob job;
  job.feed(0, 200);
  const auto first = job.start();
  job.wait_for_rows(200);
  job.wait_until_idle();
  const fs::path copy = copy_of(job, "copy");
  const auto second = job.start(in_folder(copy));
  second->wait_for_line("running");
  job.feed(200, 400);  // an idle instance notices with the next row
  CHECK(first->wait() == 4);
  CHECK_THAT(first->errors(), Contains("another instance of the job"));
  job.wait_for_rows(400);
  second->signal(SIGTERM);
  CHECK(second->wait() == 143);
  const ProcessResult again = job.run();  // the first folder
  CHECK(again.exit_code == 3);
  CHECK_THAT(again.errors, Contains("lost") || Contains("diverged"));
  CHECK(job.difference(400) == "");
}

TEST_CASE("a job that is fenced by nobody who commits looks again and goes on; fenced twice within a minute it gives up",
          "[broker][eos]") {
  ExactlyOnceJob job;
  const auto fence = [&] {
    for (const char* lane : {"-a", "-b"}) KafkaTransaction("weir-" + job.name + lane, job.client.brokers()).abort();
  };
  job.feed(0, 100);
  const auto process = job.start();
  job.wait_for_rows(100);
  fence();
  job.feed(100, 200);
  process->wait_for_line("fenced, but no other run has committed", std::chrono::seconds(60));
  job.wait_for_rows(200, std::chrono::seconds(60));
  fence();
  job.feed(200, 300);
  CHECK(process->wait(std::chrono::seconds(90)) == 4);
  CHECK_THAT(process->errors(), Contains("two instances of this name"));
  job.run_until(300);
  CHECK(job.difference(300) == "");
}

TEST_CASE("a copied folder that fell behind is refused and fences nobody", "[broker][eos]") {
  StoppedJob job(200);
  const fs::path copy = copy_of(job, "copy");
  const auto first = job.start();
  first->wait_for_line("running");
  job.feed(200, 400);
  job.wait_for_rows(400);
  const ProcessResult second = job.run(in_folder(copy));
  CHECK(second.exit_code == 3);
  CHECK_THAT(second.errors, Contains("lost") || Contains("diverged"));
  job.feed(400, 600);
  job.wait_for_rows(600);
  first->signal(SIGTERM);
  CHECK(first->wait() == 143);
  CHECK_THAT(first->errors(), !Contains("restarting"));
  CHECK(job.difference(600) == "");
}

TEST_CASE("a file that does not fit its checkpoint is refused before anybody is fenced", "[broker][eos]") {
  ExactlyOnceJob job;
  job.feed(0, 100);
  const auto first = job.start();
  job.wait_for_rows(100);
  job.wait_until_idle();
  const fs::path copy = copy_of(job, "copy");
  const fs::path changed = job.folder / "changed.yaml";
  std::string text = read_file(job.file);
  text.replace(text.find("  in: {"), 7, "  other: {");
  text.replace(text.find("from: in"), 8, "from: other");
  job.folder.write("changed.yaml", text);
  auto arguments = in_folder(copy);
  arguments.insert(arguments.begin(), {"run", changed.string()});
  const ProcessResult second = run_weir(arguments);
  CHECK(second.exit_code == 3);
  CHECK_THAT(second.errors, Contains("--drop-state in"));
  job.feed(100, 200);
  job.wait_for_rows(200);
  first->signal(SIGTERM);
  CHECK(first->wait() == 143);
}

TEST_CASE("starts that fail again and again after their claim keep what they began from", "[broker][eos]") {
  StoppedJob job(200);
  std::vector<fs::path> before;
  for (const auto& entry : fs::directory_iterator(job.job_folder()))
    if (entry.path().filename().string().starts_with("chk-")) before.push_back(entry.path());
  for (int i = 0; i < 5; ++i) CHECK(job.run({}, {{"WEIR_CRASH_AT", "during-restore"}}).exit_code == 128 + SIGKILL);
  for (const fs::path& checkpoint : before) CHECK(fs::exists(checkpoint));
  int now = 0;
  for (const auto& entry : fs::directory_iterator(job.job_folder()))
    now += entry.path().filename().string().starts_with("chk-");
  CHECK(now <= static_cast<int>(before.size()) + 2);
  job.feed(200, 300);
  job.run_until(300);
  CHECK(job.difference(300) == "");
}

TEST_CASE("two folders whose newest checkpoints have one number and two runs are told apart", "[broker][eos]") {
  ExactlyOnceJob job;
  job.feed(0, 100);
  // Dies with its claim (1) committed and checkpoint 2 prepared; the copy goes on from 1 with a claim 2 of its own.
  CHECK(job.run({}, {{"WEIR_CRASH_AT", "after-prepare:1"}}).exit_code == 128 + SIGKILL);
  const fs::path copy = copy_of(job, "copy");
  for (const auto& entry : fs::directory_iterator(copy / job.name))
    if (entry.path().extension() == ".prepared") fs::remove_all(entry.path());
  CHECK(job.run(in_folder(copy), {{"WEIR_CRASH_AT", "after-claim"}}).exit_code == 128 + SIGKILL);
  const ProcessResult first = job.run();
  CHECK(first.exit_code == 3);
  CHECK_THAT(first.errors, Contains("diverged"));
  const auto second = job.start(in_folder(copy));
  job.wait_for_rows(100);
  second->signal(SIGTERM);
  CHECK(second->wait() == 143);
  CHECK(job.difference(100) == "");
}

TEST_CASE("the first start is killed before its first commit, and the next one begins anew", "[broker][eos]") {
  ExactlyOnceJob job;
  job.source = ExactlyOnceJob::ends_after(100);
  job.write();
  job.feed(0, 100);
  const char* point = GENERATE("after-init", "after-send-offsets:1");
  INFO(point);
  CHECK(job.run({}, {{"WEIR_CRASH_AT", point}}).exit_code == 128 + SIGKILL);
  const ProcessResult end = job.run();
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(job.difference(100) == "");
}

TEST_CASE("an output topic that was deleted and made again: on from the newest checkpoint, with a warning",
          "[broker][eos]") {
  StoppedJob job(200);
  job.client.delete_topic(job.out);
  job.client.create_topic(job.out, ExactlyOnceJob::kPartitions);
  job.feed(200, 300);
  const auto process = job.start();
  job.wait_for_rows(100);
  process->signal(SIGTERM);
  CHECK(process->wait() == 143);
  CHECK_THAT(process->errors(), Contains("the marker of") && Contains("expired or its topic was made anew"));
  CHECK(job.client.consume_values(job.out).size() == 100);
}

TEST_CASE("an output topic that is deleted and made again under a running job", "[broker][eos]") {
  ExactlyOnceJob job;
  job.feed(0, 100);
  const auto process = job.start();
  job.wait_for_rows(100);
  job.wait_until_idle();
  job.client.delete_topic(job.out);
  job.client.create_topic(job.out, ExactlyOnceJob::kPartitions);
  job.feed(100, 300);
  job.wait_for_rows(200, std::chrono::seconds(60));
  process->signal(SIGTERM);
  CHECK(process->wait() == 143);
  std::vector<std::string> rows = job.client.consume_values(job.out);
  std::sort(rows.begin(), rows.end());
  CHECK(rows.size() == 200);
  CHECK(std::adjacent_find(rows.begin(), rows.end()) == rows.end());
  CHECK_FALSE(job.marker().empty());
}

TEST_CASE("offsets reset by hand are no marker: as if it had expired", "[broker][eos]") {
  StoppedJob job(200);
  const std::string group = "weir-" + job.name;
  SECTION("without metadata") { job.client.commit(group, job.out, {{0, {0}}}); }
  SECTION("with metadata of somebody else") { job.client.commit(group, job.out, {{0, {0, "by hand"}}}); }
  job.feed(200, 300);
  const auto process = job.start();
  job.stop_at(*process, 300);
  CHECK_THAT(process->errors(), Contains("is not weir's and is ignored") && Contains("expired"));
  CHECK(job.difference(300) == "");
}

TEST_CASE("entries of others in the marker's group are warned of once, and shown without harm; a later version's is refused",
          "[broker][eos]") {
  StoppedJob job(100);
  job.feed(100, 101);
  const std::string group = "weir-" + job.name, note = "a\x1b[31mnote\n";
  job.client.commit(group, job.in, {{0, {1, note}}});
  const auto process = job.start();
  process->wait_for_line("running");
  job.stop_at(*process, 101);
  CHECK(process->count_lines(R"(metadata 'a\x1b[31mnote\x0a')") == 1);
  job.client.commit(group, job.in, {{0, {1, "weir2 900 b1f0"}}});
  const std::string marker = job.marker();
  const ProcessResult refused = job.run();
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors, Contains("the entry for " + job.in + "-0") && Contains("'weir2 900 b1f0'") &&
                                 Contains("start the job with that version"));
  CHECK(job.marker() == marker);
}

TEST_CASE("a marker that was set back is refused: rows would come twice", "[broker][eos]") {
  StoppedJob job(200);
  const std::string old = job.marker();
  const std::string group = "weir-" + job.name;
  job.feed(200, 300);
  job.run_until(300);
  const std::string newest = job.marker();
  job.client.commit(group, job.out, {{0, {0, old}}});
  const ProcessResult refused = job.run();
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors, Contains("went back"));
  job.client.commit(group, job.out, {{0, {0, newest}}});
  job.feed(300, 400);
  job.run_until(400);
  CHECK(job.difference(400) == "");
}

TEST_CASE("a marker that is lost while a prepared checkpoint waits for it is in doubt, and people answer", "[broker][eos]") {
  ExactlyOnceJob job;
  job.feed(0, 200);
  job.run_until(200);
  job.feed(200, 300);
  const auto [point, answer] = GENERATE(std::pair("after-prepare:1", "aborted"), std::pair("after-commit:1", "committed"));
  INFO(point);
  CHECK(job.run({}, {{"WEIR_CRASH_AT", point}}).exit_code == 128 + SIGKILL);
  // What the crash left open is ended by producers of the same ids.
  for (const char* lane : {"-a", "-b"}) KafkaTransaction("weir-" + job.name + lane, job.client.brokers()).abort();
  job.client.commit("weir-" + job.name, job.out, {{0, {0}}});
  const ProcessResult refused = job.run();
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors, Contains("in doubt") && Contains("--in-doubt"));
  job.run_until(300, {"--in-doubt", answer});
  CHECK(job.difference(300) == "");
  const ProcessResult again = job.run({"--in-doubt", answer});
  CHECK(again.exit_code == 3);
  CHECK_THAT(again.errors, Contains("--in-doubt is refused"));
}

TEST_CASE("an older checkpoint needs --allow-duplicates, and numbers are never used again", "[broker][eos]") {
  StoppedJob job(200);
  const fs::path old = job.folder / "old" / job.newest().filename();
  fs::create_directories(old.parent_path());
  fs::copy(job.newest(), old, fs::copy_options::recursive);
  job.feed(200, 300);
  job.run_until(300);
  const int newest = job.newest_number();
  const ProcessResult refused = job.run({"--from", old.string()});
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors, Contains("--allow-duplicates"));
  job.run_until(400, {"--from", old.string(), "--allow-duplicates"});
  CHECK(job.newest_number() > newest);
  CHECK(job.client.consume_values(job.out).size() == 400);  // 200 to 299 twice
}

TEST_CASE("--fresh needs --allow-duplicates where there is a marker, and goes on with its numbers", "[broker][eos]") {
  StoppedJob job(100);
  const int newest = job.newest_number();
  const ProcessResult refused = job.run({"--fresh"});
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors, Contains("--allow-duplicates"));
  job.run_until(200, {"--fresh", "--allow-duplicates"});
  CHECK(job.marker_number() > newest);
  fs::remove_all(job.job_folder());
  const ProcessResult lost = job.run();
  CHECK(lost.exit_code == 3);
  CHECK_THAT(lost.errors, Contains("lost"));
}

TEST_CASE("the guarantee is changed to at least once and back", "[broker][eos]") {
  StoppedJob job(200);
  job.sink = "";
  job.write();
  job.feed(200, 300);
  job.run_until(300);
  job.sink = ", guarantee: exactly_once";
  job.write();
  job.feed(300, 400);
  job.run_until(400);
  CHECK(job.difference(400) == "");
  // Once more: a copy of the exactly-once folder does not go on behind its back.
  const fs::path copy = copy_of(job, "copy");
  job.sink = "";
  job.write();
  job.feed(400, 500);
  job.run_until(500);
  job.sink = ", guarantee: exactly_once";
  job.write();
  job.feed(500, 501);
  const ProcessResult refused = job.run(in_folder(copy));
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors, Contains("lost"));
  job.run_until(501);
  CHECK(job.difference(501) == "");
}

TEST_CASE(
    "a job that leaves exactly once claims a last marker: who runs is fenced, and folders that fell behind are refused",
    "[broker][eos]") {
  StoppedJob job(200);
  const fs::path stale = copy_of(job, "stale");
  const auto first = job.start();
  first->wait_for_line("running");
  job.feed(200, 300);
  job.wait_for_rows(300);
  job.wait_until_idle();
  const fs::path current = copy_of(job, "current");
  const std::string marker = job.marker();
  job.sink = "";
  job.write();
  const ProcessResult refused = job.run(in_folder(stale));
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors, Contains("lost") || Contains("diverged"));
  CHECK(job.marker() == marker);
  const auto second = job.start(in_folder(current));
  second->wait_for_line("running");
  CHECK_THAT(second->errors(), Contains("the job leaves kafka"));
  CHECK(job.marker() != marker);
  job.feed(300, 400);
  CHECK(first->wait(std::chrono::seconds(60)) == 4);
  job.stop_at(*second, 400);
  CHECK(job.difference(400) == "");
  job.feed(400, 500);
  const auto third = job.start(in_folder(current));  // the marker is left once only
  third->wait_for_line("running");
  CHECK_THAT(third->errors(), !Contains("the job leaves"));
  job.stop_at(*third, 500);
  CHECK(job.difference(500) == "");
  job.sink = ", guarantee: exactly_once";
  job.write();
  const ProcessResult fresh = job.run(in_folder(current, {"--fresh"}));
  CHECK(fresh.exit_code == 3);
  CHECK_THAT(fresh.errors, Contains("--allow-duplicates"));
}

TEST_CASE("what is prepared is judged where it was written, though the guarantee changed since", "[broker][eos]") {
  const std::string point = GENERATE(as<std::string>(), "after-prepare", "after-send-offsets:2", "after-commit");
  CAPTURE(point);
  ExactlyOnceJob job;
  job.feed(0, 200);
  CHECK(job.run({}, {{"WEIR_CRASH_AT", point}}).exit_code == 128 + SIGKILL);
  job.sink = "";
  job.write();
  job.feed(200, 300);
  job.run_until(300);
  CHECK(job.difference(300) == "");
}

TEST_CASE("transactional ids and groups stay two and one over any number of restarts", "[broker][eos]") {
  ExactlyOnceJob job;
  for (int i = 1; i <= 4; ++i) {
    job.feed(100 * (i - 1), 100 * i);
    job.run_until(static_cast<std::size_t>(100 * i));
  }
  CHECK(job.run({}, {{"WEIR_CRASH_AT", "after-claim"}}).exit_code == 128 + SIGKILL);
  const std::string name = "weir-" + job.name;
  CHECK(names_in(job.client, "__transaction_state", name) == std::set<std::string>{name + "-a", name + "-b"});
  CHECK(names_in(job.client, "__consumer_offsets", name) == std::set<std::string>{name});
}

TEST_CASE("a job is renamed with --take-over, and the old one does not start any more", "[broker][eos]") {
  StoppedJob job(200);
  const std::string old_name = job.name;
  const fs::path checkpoint = job.newest(), old_folder = job.job_folder(), old_file = job.file;
  job.feed(200, 300);
  job.name = unique_name("renamed");
  job.write();
  const ProcessResult bare = job.run({"--from", checkpoint.string()});
  CHECK(bare.exit_code == 3);
  CHECK_THAT(bare.errors, Contains("--take-over") && Contains("--copy"));
  SECTION("at one go") {}
  SECTION("killed after it said so") {
    CHECK(job.run({"--from", checkpoint.string(), "--take-over"}, {{"WEIR_CRASH_AT", "after-send-offsets"}}).exit_code ==
          128 + SIGKILL);
    const ProcessResult plain = job.run();  // would be a new job, which reads everything again
    CHECK(plain.exit_code == 3);
    CHECK_THAT(plain.errors, Contains("was not finished") && Contains("--take-over"));
  }
  job.run_until(300, {"--from", checkpoint.string(), "--take-over"});
  CHECK(job.difference(300) == "");
  const ProcessResult old = run_weir({"run", old_file.string()});
  CHECK(old.exit_code == 3);
  CHECK_THAT(old.errors, Contains("moved to " + job.name));
  fs::remove(old_folder / "MOVED");
  const ProcessResult by_marker = run_weir({"run", old_file.string()});
  CHECK(by_marker.exit_code == 3);
  CHECK_THAT(by_marker.errors, Contains("moved to " + job.name));
  job.feed(300, 400);
  job.run_until(400);
  CHECK(job.difference(400) == "");
}

TEST_CASE("a job that was killed in a commit is taken over at once", "[broker][eos]") {
  ExactlyOnceJob job;
  const char* point = GENERATE("after-send-offsets:2", "after-prepare");
  INFO(point);
  job.connection = ", transaction_timeout: 10m";
  job.write();
  job.feed(0, 200);
  CHECK(job.run({}, {{"WEIR_CRASH_AT", point}}).exit_code == 128 + SIGKILL);
  const fs::path checkpoint = job.job_folder() / "chk-000001";
  job.name = unique_name("renamed");
  job.write();
  const auto begun = std::chrono::steady_clock::now();
  const auto renamed = job.start({"--from", checkpoint.string(), "--take-over"});
  renamed->wait_for_line("running");
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(10));  // about two, were it not for other load
  CHECK_THAT(renamed->errors(), !Contains("restart 1"));
  job.stop_at(*renamed, 200);
  CHECK(job.difference(200) == "");
}

TEST_CASE("a running job is fenced by --take-over of its newest checkpoint, and ends with 4", "[broker][eos]") {
  StoppedJob job(100);
  const auto old = job.start();
  old->wait_for_line("running");
  const fs::path checkpoint = job.newest();
  job.name = unique_name("renamed");
  job.write();
  const ProcessResult stale = job.run({"--from", (checkpoint.parent_path() / "chk-000001").string(), "--take-over"});
  CHECK(stale.exit_code >= 2);
  const auto renamed = job.start({"--from", checkpoint.string(), "--take-over"});
  renamed->wait_for_line("running");
  job.feed(100, 200);
  job.wait_for_rows(200);
  const int code = old->wait();
  INFO(old->errors());
  CHECK((code == 4 || code == 3));
  renamed->signal(SIGTERM);
  CHECK(renamed->wait() == 143);
  CHECK(job.difference(200) == "");
}

namespace {

/// The job's file without its Kafka sink, under a name; `connected`: it still reads from the cluster.
fs::path without_sink(const ExactlyOnceJob& job, const std::string& name, bool connected = true) {
  const std::string head =
      fmt::format("name: {}\ncheckpoint: {{ dir: {}, interval: 100ms }}\n", name, (job.folder / "checkpoints").string());
  const std::string sinks = "sinks:\n  out: { from: in, type: discard }\n";
  if (!connected)
    return job.folder.write(name + "-alone.yaml",
                            head + "sources:\n  in: { type: generator, rate: 10, select: { k: n } }\n" + sinks);
  return job.folder.write(
      name + "-moved.yaml",
      head + fmt::format("connections:\n  main: {{ type: kafka, brokers: \"{}\" }}\nsources:\n  in: {{ type: kafka, "
                         "connection: main, topic: {}, schema: {{ k: int, n: int }} }}\n{}",
                         job.client.brokers(), job.in, sinks));
}

}  // namespace

TEST_CASE("a job whose sinks left the cluster claims its last marker through a connection that is still there",
          "[broker][eos]") {
  StoppedJob job(100);
  const fs::path stale = copy_of(job, "stale");
  const std::string marker = job.marker();
  const ProcessResult alone = run_weir({"run", without_sink(job, job.name, false).string(), "--drop-state", "in"});
  CHECK(alone.exit_code == 3);
  CHECK_THAT(alone.errors, Contains("which no connection of the file reaches") && Contains("keep that connection") &&
                               Contains("--allow-duplicates"));
  CHECK(job.marker() == marker);
  const ProcessResult moved = run_weir({"run", without_sink(job, job.name).string(), "--stop-after", "1s"});
  CHECK(moved.exit_code == 0);
  CHECK_THAT(moved.errors, Contains("the job leaves kafka"));
  CHECK(job.marker() != marker);
  const ProcessResult refused = job.run(in_folder(stale));
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.errors, Contains("lost") || Contains("diverged"));
}

TEST_CASE("a job is taken over by one that commits elsewhere", "[broker][eos]") {
  StoppedJob job(100);
  const std::string renamed = unique_name("renamed");
  const ProcessResult alone = run_weir({"run", without_sink(job, renamed, false).string(), "--from", job.newest().string(),
                                        "--take-over", "--drop-state", "in"});
  CHECK(alone.exit_code == 3);
  CHECK_THAT(alone.errors, Contains("could not be ended there"));
  CHECK(run_weir({"run", without_sink(job, renamed).string(), "--from", job.newest().string(), "--take-over", "--stop-after",
                  "1s"})
            .exit_code == 0);
  fs::remove(job.job_folder() / "MOVED");
  const ProcessResult old = job.run();
  CHECK(old.exit_code == 3);
  CHECK_THAT(old.errors, Contains("moved to " + renamed));
}

TEST_CASE("--copy starts another job from a checkpoint and touches nothing of the first", "[broker][eos]") {
  StoppedJob job(200);
  const std::string first_name = job.name;
  const fs::path checkpoint = job.newest(), first_file = job.file;
  const std::string marker = job.marker();
  job.name = unique_name("copied");
  job.write();
  job.feed(200, 300);
  job.run_until(300, {"--from", checkpoint.string(), "--copy"});
  CHECK(job.difference(300) == "");
  job.name = first_name;
  CHECK(job.marker() == marker);
  job.file = first_file;
  job.run_until(400);  // rows 200 to 299 once more, by the first job
  CHECK(job.client.consume_values(job.out).size() == 400);
}

TEST_CASE("the marker expires while the job is down, and not while it is idle", "[broker][eos][slow]") {
  BrokerControl broker({"offsets.retention.minutes=1", "offsets.retention.check.interval.ms=2000"});
  ExactlyOnceJob job(broker.brokers());
  job.quiet = false;
  job.feed(0, 100);
  const auto process = job.start();
  job.wait_for_rows(100);
  const auto ends = job.client.end_offsets(job.out);
  std::this_thread::sleep_for(std::chrono::seconds(75));
  CHECK_FALSE(job.marker().empty());
  CHECK(job.client.end_offsets(job.out) == ends);
  job.feed(100, 200);
  job.wait_for_rows(200);
  process->signal(SIGTERM);
  CHECK(process->wait() == 143);
  CHECK_THAT(process->errors(), Contains(" committed, 0 aborted, the last in ") && Contains("oldest uncommitted row "));
  for (int i = 0; i < 90 && !job.marker().empty(); ++i) std::this_thread::sleep_for(std::chrono::seconds(1));
  CHECK(job.marker().empty());
  job.feed(200, 300);
  const auto again = job.start();
  job.wait_for_rows(300);
  again->signal(SIGTERM);
  CHECK(again->wait() == 143);
  CHECK_THAT(again->errors(), Contains("the marker of"));
  CHECK(job.difference(300) == "");
}
