#include "tools/weir/checkpoints_command.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/checkpoint/folder.h"
#include "tests/support/temporary_folder.h"
#include "tools/weir/state_command.h"
#include "tools/weir/text_table.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

class FixedClock final : public Clock {
 public:
  Timestamp now() const override { return {1'704'067'200'000'000 + 90'000'000}; }
  Duration steady() const override { return {}; }
};

/// A job's folder with a claim, a checkpoint and a prepared one.
struct Fixture {
  Fixture() {
    CheckpointFolder folder(dir.path(), "orders");
    for (std::uint64_t id = 1; id <= 3; ++id) {
      CheckpointWriter writer = folder.begin({id});
      writer.add_bytes("state/a", std::string(100 * id, 'x'));
      writer.prepare(manifest(id));
      if (id < 3) folder.commit({id});
    }
  }
  static Manifest manifest(std::uint64_t id) {
    Manifest m;
    m.id = {id};
    m.run = {"b1f0"};
    m.job = "orders";
    m.at = {1'704'067'200'000'000};
    m.weir_version = "0.1.0";
    m.claim = id == 1;
    m.duration_ms = 18;
    const std::int64_t next = 100 * static_cast<std::int64_t>(id);
    m.sources = {
        {"orders", "kafka", {{{"orders", 0, next}, next + 5}, {{"orders", 1, 7}}}, Timestamp{1'704'067'200'000'000}}};
    if (id == 3)
      m.commits = CommitFigures{12, 1, Duration::milliseconds(17), Duration::milliseconds(120), Duration::seconds(60)};
    m.sinks = {{"out", "kafka", "exactly_once", "weir-orders-a"}, {"log", "console", "none", ""}};
    return m;
  }
  std::string path(const char* name) const { return (dir / "orders" / name).string(); }
  fs::path operator/(const char* name) const { return dir / "orders" / name; }
  TemporaryFolder dir;
};

/// What a command prints.
template <typename F>
std::string printed(F&& command, int exit_code = 0) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = ::open_memstream(&text, &size);
  const std::unique_ptr<char*, void (*)(char**)> release(&text, [](char** t) { std::free(*t); });
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> close(out, std::fclose);
  const int found = command(out);
  CHECK(found == exit_code);
  std::fflush(out);
  return {text, size};
}

template <typename F>
std::string error_of(F&& command, Blame blame) {
  try {
    printed(command);
  } catch (const Error& e) {
    CHECK(e.blame() == blame);
    return e.text();
  }
  return "nothing was thrown";
}

std::string list(const std::string& dir, bool as_json, int exit_code = 0) {
  return printed([&](std::FILE* out) { return checkpoints_list(dir, as_json, out, FixedClock()); }, exit_code);
}
std::string show(const std::string& checkpoint, bool as_json) {
  return printed([&](std::FILE* out) { return checkpoints_show(checkpoint, as_json, out, FixedClock()); });
}
std::string dump(const std::string& checkpoint, const DumpOptions& options) {
  return printed([&](std::FILE* out) { return state_dump(checkpoint, options, out); });
}

}  // namespace

TEST_CASE("checkpoints list prints a line for each checkpoint, as JSON an object") {
  const Fixture f;
  CHECK_THAT(list(f.path(""), false),
             Contains("prepared") && Contains("90 s ago") && Contains("claim of run b1f0") && Contains("18 ms"));
  const json objects = json::parse(list(f.path(""), true));
  REQUIRE(objects.size() == 3);
  CHECK(objects[1]["job"] == "orders");
  CHECK(objects[1]["id"] == 2);
  CHECK(objects[1]["run"] == "b1f0");
  CHECK(objects[1]["state"] == "committed");
  CHECK(objects[1]["at"] == "2024-01-01T00:00:00.000Z");
  CHECK(objects[1]["bytes"].get<std::uint64_t>() == 200 + fs::file_size(f / "chk-000002/manifest.json"));
  CHECK(objects[1]["duration_ms"] == 18);
  CHECK(objects[2]["state"] == "prepared");
  CHECK(!objects[1].contains("sources"));
}

TEST_CASE("checkpoints list shows the others when one is torn, and exits with 3") {
  const Fixture f;
  fs::resize_file(f / "chk-000002/manifest.json", 10);
  CHECK_THAT(list(f.path(""), false, 3), Contains("unreadable"));
  CHECK(json::parse(list(f.path(""), true, 3)).size() == 2);
}

TEST_CASE("checkpoints list of what is no job's folder says what is there") {
  const Fixture f;
  CHECK_THAT(error_of([&](auto out) { return checkpoints_list(f.path("nothing"), false, out); }, Blame::kUser),
             Contains("there is no folder"));
  CHECK_THAT(error_of([&](auto out) { return checkpoints_list(f.dir.path().string(), false, out); }, Blame::kUser),
             Contains("folders of jobs in it: " + (f.dir / "orders").string()));
  CHECK_THAT(error_of([&](auto out) { return checkpoints_list(f.path("chk-000001"), false, out); }, Blame::kUser),
             Contains("weir checkpoints show"));
  const TemporaryFolder dir;
  const CheckpointFolder empty(dir.path(), "new");
  CHECK(list((dir / "new").string(), false) == "no checkpoints yet\n");
  CHECK(list((dir / "new").string(), true) == "[]\n");
}

TEST_CASE("checkpoints show --json has sources, steps and sinks") {
  const Fixture f;
  const json object = json::parse(show(f.path("chk-000002/"), true));
  CHECK(object["id"] == 2);
  CHECK(object["state"] == "committed");
  CHECK(object["authority"] == "local");
  CHECK(object["sources"] == json::parse(R"({"orders":{"type":"kafka","watermark":"2024-01-01T00:00:00.000Z","splits":[
      {"topic":"orders","partition":0,"next_offset":200,"end_offset":205,"lag":5,"idle":false},
      {"topic":"orders","partition":1,"next_offset":7,"end_offset":null,"lag":null,"idle":false}]}})"));
  CHECK(object["steps"] == json::object());
  CHECK(
      object["sinks"] ==
      json::parse(
          R"({"out":{"type":"kafka","guarantee":"exactly_once","lane":"weir-orders-a"},"log":{"type":"console","guarantee":"none"}})"));
  CHECK_FALSE(object.contains("transactions"));
  const json prepared = json::parse(show(f.path("chk-000003.prepared"), true));
  CHECK(prepared["state"] == "prepared");
  CHECK(prepared["transactions"] ==
        json::parse(R"({"committed":12,"aborted":1,"last_commit_ms":17,"oldest_row_ms":120,"timeout_ms":60000})"));
}

TEST_CASE("a finished checkpoint is shown as finished") {
  const TemporaryFolder dir;
  CheckpointFolder folder(dir.path(), "orders");
  Manifest m = Fixture::manifest(2);
  m.finished = true;
  folder.begin({2}).prepare(m);
  folder.commit({2});
  CHECK(json::parse(list(folder.path().string(), true))[0]["state"] == "finished");
}

TEST_CASE("checkpoints show prints what people want to know") {
  const Fixture f;
  CHECK_THAT(show(f.path("chk-000002"), false),
             Contains("checkpoint 2 of orders, committed") && Contains("source orders (kafka), watermark 2024") &&
                 Contains("orders-0") && Contains("one transaction of weir-orders-a commits its rows"));
  CHECK_THAT(show(f.path("chk-000003.prepared"), false), Contains("12 committed, 1 aborted; the last commit took 17 ms"));
}

TEST_CASE("checkpoints verify says that a checkpoint is whole, or what is wrong") {
  const Fixture f;
  CHECK_THAT(printed([&](auto out) { return checkpoints_verify(f.path("chk-000002"), out); }), Contains("is whole"));
  f.dir.write("orders/chk-000002/state/a", std::string(200, 'y'));
  CHECK_THAT(error_of([&](auto out) { return checkpoints_verify(f.path("chk-000002"), out); }, Blame::kRefused),
             Contains("state/a was changed"));
  CHECK_THAT(error_of([&](auto out) { return checkpoints_verify(f.path("x"), out); }, Blame::kUser),
             Contains("is not a checkpoint"));
}

TEST_CASE("state dump prints the positions of sources as rows of the table splits") {
  const Fixture f;
  const std::string first = dump(f.path("chk-000002"), {.limit = 1});
  CHECK(json::parse(first) == json::parse(R"({"step":"orders","table":"splits","key":{"topic":"orders","partition":0},
      "value":{"next_offset":200,"end_offset":205,"end":null,"ended":false,"largest_time":null}})"));
  CHECK_THAT(dump(f.path("chk-000002"), {.key = R"({"partition":1})"}),
             Contains("\"next_offset\":7") && !Contains("\"next_offset\":200"));
  CHECK_THAT(dump(f.path("chk-000002"), {.format = DumpFormat::kCsv}),
             Contains("step,table,key,value\norders,splits,\"{\"\"topic\"\""));
  CHECK_THAT(dump(f.path("chk-000002"), {.format = DumpFormat::kTable}), Contains("STEP") && Contains("orders  splits"));
  CHECK(printed([&](auto out) { return state_dump(f.path("chk-000002"), {.key = R"({"partition":5})"}, out, out); }) ==
        "no row has the key {\"partition\":5}\n");
  CHECK(dump(f.path("chk-000002"), {.limit = 0}).empty());
}

TEST_CASE("state dump refuses what it does not know") {
  const Fixture f;
  const auto refused = [&](const DumpOptions& options) {
    return error_of([&](auto out) { return state_dump(f.path("chk-000002"), options, out); }, Blame::kUser);
  };
  CHECK_THAT(refused({.step = "order"}), Contains("no step or source order") && Contains("orders"));
  CHECK_THAT(refused({.table = "windows"}), Contains("splits"));
  CHECK_THAT(refused({.key = "5"}), Contains("JSON object"));
  CHECK_THAT(refused({.key = "{"}), Contains("JSON object"));
}

TEST_CASE("state ls and diff") {
  const Fixture f;
  CHECK_THAT(printed([&](auto out) { return state_ls(f.path("chk-000002"), false, out); }),
             Contains("orders  splits     2"));
  const auto diff = [&](const char* a, const char* b) {
    return printed([&](auto out) { return state_diff(f.path(a), f.path(b), out); });
  };
  CHECK(diff("chk-000001", "chk-000001") == "no differences\n");
  CHECK(diff("chk-000001", "chk-000002") ==
        "~ orders splits {\"topic\":\"orders\",\"partition\":0} next_offset 100 -> 200, end_offset 105 -> 205\n");
}

TEST_CASE("sizes and ages are written for people") {
  CHECK(size_text(0) == "0 B");
  CHECK(size_text(1023) == "1023 B");
  CHECK(size_text(12'345) == "12.1 KiB");
  CHECK(size_text(5ull << 30) == "5.0 GiB");
  CHECK(age_text(Duration::milliseconds(400)) == "just now");
  CHECK(age_text(Duration::seconds(119)) == "119 s ago");
  CHECK(age_text(Duration::seconds(3 * 86400)) == "3 days ago");
  CHECK(age_text(Duration::seconds(-5)) == "in the future");
}

}  // namespace weir
