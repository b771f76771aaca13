#include "runtime/checkpoint/folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "runtime/base/error.h"
#include "runtime/checkpoint/checkpoint_name.h"
#include "runtime/checkpoint/verify.h"
#include "runtime/state/file_checksum.h"
#include "tests/runtime/checkpoint/killed_process.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

Manifest manifest_of(std::uint64_t id, const std::string& run = "r") {
  Manifest m;
  m.id = {id};
  m.run = {run};
  m.job = "orders";
  return m;
}

/// Prepares checkpoint `id` with two files.
Manifest prepare(CheckpointFolder& folder, std::uint64_t id) {
  CheckpointWriter writer = folder.begin({id});
  writer.add_bytes("state/000007.sst", "rows of " + std::to_string(id));
  writer.add_bytes("state/CURRENT", "MANIFEST-1\n");
  return writer.prepare(manifest_of(id));
}

void commit_new(CheckpointFolder& folder, std::uint64_t id) {
  prepare(folder, id);
  folder.commit({id});
}

/// `1 2 3.prepared`: the checkpoints in a folder, each one verified.
std::string checkpoints(const fs::path& job_folder) {
  std::string text;
  for (const CheckpointEntry& entry : list_checkpoints(job_folder)) {
    const Verified verified = verify_checkpoint(entry.path, VerifyLevel::kFull);
    CHECK(verified.manifest.id == entry.epoch);
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", entry.epoch.value,
                        entry.state == CheckpointState::kPrepared ? ".prepared" : "");
  }
  return text;
}

template <typename F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  return {Blame::kBug, "nothing was thrown"};
}

/// Names in a folder that are no checkpoints.
std::string others(const fs::path& job_folder) {
  std::string text;
  for (const auto& item : fs::directory_iterator(job_folder))
    if (parse_folder_name(item.path().filename().string()).item != FolderItem::kCheckpoint)
      text += item.path().filename().string() + " ";
  return text;
}

}  // namespace

TEST_CASE("names of checkpoint folders have six digits or more") {
  CHECK(checkpoint_folder_name({42}, CheckpointState::kCommitted) == "chk-000042");
  CHECK(checkpoint_folder_name({1'234'567}, CheckpointState::kPrepared) == "chk-1234567.prepared");
  CHECK(parse_folder_name("chk-1234567.prepared").epoch.value == 1'234'567);
  CHECK(parse_folder_name("chk-1234567.prepared").state == CheckpointState::kPrepared);
  CHECK(parse_folder_name("chk-000042.writing").item == FolderItem::kUnfinished);
  CHECK(parse_folder_name("chk-000042.deleting").item == FolderItem::kUnfinished);
  CHECK(parse_folder_name("work-b1f0").item == FolderItem::kWork);
  for (const char* name : {"LOCK", "chk-", "chk-42", "chk-000000", "chk-000042x", "chk-000042.prepared2", "chk-0000042",
                           "chk--00042", "chk-+00042", "chk-99999999999999999999", "chk-000042.old", ""})
    CHECK(parse_folder_name(name).item == FolderItem::kOther);
}

TEST_CASE("a checkpoint is prepared, then committed by a rename that can be repeated") {
  const TemporaryFolder dir;
  CheckpointFolder folder(dir.path(), "orders");
  const Manifest m = prepare(folder, 1);
  CHECK(m.files.size() == 2);
  CHECK(m.files[0] == ManifestFile{"state/000007.sst", 9, FileChecksum::of("rows of 1")});
  CHECK(m.bytes == 9 + 11);
  CHECK(checkpoints(folder.path()) == "1.prepared");
  folder.commit({1});
  folder.commit({1});
  CHECK(checkpoints(folder.path()) == "1");
  CHECK(read_checkpoint(folder.path() / "chk-000001") == m);
  CHECK(error_of([&] { folder.commit({2}); }).blame() == Blame::kEnvironment);
}

TEST_CASE("a checkpoint that is not finished leaves nothing behind") {
  const TemporaryFolder dir;
  CheckpointFolder folder(dir.path(), "orders");
  {
    CheckpointWriter writer = folder.begin({1});
    writer.add_bytes("state/x", "y");
    CheckpointWriter moved = std::move(writer);
    CHECK(fs::exists(moved.folder() / "state/x"));
  }
  CHECK(others(folder.path()) == "LOCK ");
}

TEST_CASE("numbers are never used again") {
  const TemporaryFolder dir;
  {
    CheckpointFolder folder(dir.path(), "orders");
    CHECK(folder.next_epoch(std::nullopt).value == 1);
    CHECK(folder.next_epoch(Marker{{41}, {"r"}}).value == 42);
    const std::vector<Epoch> also{{7}, {99}};
    CHECK(folder.next_epoch(Marker{{41}, {"r"}}, also).value == 100);
    commit_new(folder, 3);
    prepare(folder, 4);
    CHECK(folder.next_epoch(std::nullopt).value == 5);
    folder.delete_prepared({4});
    CHECK(folder.next_epoch(std::nullopt).value == 5);
    { const CheckpointWriter dropped = folder.begin({5}); }
    CHECK(folder.next_epoch(std::nullopt).value == 6);
    CHECK(error_of([&] { folder.begin({3}); }).blame() == Blame::kBug);
  }
  fs::create_directory(dir / "orders/chk-000008.writing");
  CheckpointFolder folder(dir.path(), "orders");
  CHECK(folder.next_epoch(std::nullopt).value == 9);
}

TEST_CASE("a start deletes what a crash left and nothing else") {
  const TemporaryFolder dir;
  dir.write("orders/work-b1f0/000001.sst", "x");
  dir.write("orders/chk-000007.writing/state/x", "x");
  dir.write("orders/chk-000003.deleting/state/x", "x");
  dir.write("orders/notes.txt", "mine");
  dir.write("orders/chk-old/x", "mine");
  const CheckpointFolder folder(dir.path(), "orders");
  CHECK(fs::exists(dir / "orders/notes.txt"));
  CHECK(fs::exists(dir / "orders/chk-old/x"));
  CHECK(std::distance(fs::directory_iterator(dir / "orders"), fs::directory_iterator()) == 3);
}

TEST_CASE("a folder is locked by one process at a time") {
  const TemporaryFolder dir;
  {
    const CheckpointFolder folder(dir.path(), "orders");
    const Error e = error_of([&] { const CheckpointFolder second(dir.path(), "orders"); });
    CHECK(e.blame() == Blame::kRefused);
    CHECK_THAT(e.text(), Contains(fmt::format("process {} holds", ::getpid())) && Contains("orders/LOCK"));
    const CheckpointFolder other(dir.path(), "payments");
  }
  const CheckpointFolder again(dir.path(), "orders");
}

TEST_CASE("a lock ends with its process") {
  const TemporaryFolder dir;
  const pid_t child = ::fork();
  if (child == 0) {
    auto* kept = new CheckpointFolder(dir.path(), "orders");
    ::_exit(kept->path().empty() ? 1 : 0);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  REQUIRE(status == 0);
  const CheckpointFolder folder(dir.path(), "orders");
}

TEST_CASE("a claim takes over all files of what was restored by hard links") {
  const TemporaryFolder dir;
  CheckpointFolder folder(dir.path(), "orders");
  commit_new(folder, 1);
  const Manifest restored = read_checkpoint(folder.path() / "chk-000001");
  CheckpointWriter writer = folder.begin({2});
  writer.add_all_of(folder.path() / "chk-000001", restored);
  CHECK(writer.prepare(manifest_of(2)).files == restored.files);
  CHECK(fs::hard_link_count(folder.path() / "chk-000002.prepared/state/000007.sst") == 2);
  CHECK(checkpoints(folder.path()) == "1 2.prepared");
}

TEST_CASE("files that a state store put there are listed") {
  const TemporaryFolder dir;
  CheckpointFolder folder(dir.path(), "orders");
  CheckpointWriter writer = folder.begin({1});
  fs::create_directory(writer.folder() / "state");
  std::ofstream(writer.folder() / "state/a") << "abc";
  std::ofstream(writer.folder() / "state/b") << "abcd";
  writer.add_present("state/a");
  writer.add_present("state/b", FileChecksum::of("abcd"));
  writer.prepare(manifest_of(1));
  CHECK(checkpoints(folder.path()) == "1.prepared");
}

TEST_CASE("old checkpoints expire, the prepared and the newest do not") {
  const TemporaryFolder dir;
  CheckpointFolder folder(dir.path(), "orders");
  for (std::uint64_t id = 1; id <= 4; ++id) commit_new(folder, id);
  prepare(folder, 5);
  CHECK(folder.expire(2) == std::vector<Epoch>{{1}, {2}});
  CHECK(checkpoints(folder.path()) == "3 4 5.prepared");
  CHECK(folder.expire(2).empty());
  folder.commit({5});
  CHECK(folder.expire(2) == std::vector<Epoch>{{3}});
  CHECK(others(folder.path()) == "LOCK ");
}

TEST_CASE("a torn checkpoint pushes nothing out") {
  const TemporaryFolder dir;
  CheckpointFolder folder(dir.path(), "orders");
  for (std::uint64_t id = 1; id <= 4; ++id) commit_new(folder, id);
  fs::resize_file(folder.path() / "chk-000003/manifest.json", 10);
  CHECK(folder.expire(2) == std::vector<Epoch>{{1}});
}

TEST_CASE("failures name the path and blame who can change them") {
  const TemporaryFolder dir;
  dir.write("file", "x");
  const Error no_folder = error_of([&] { const CheckpointFolder f(dir / "file", "orders"); });
  CHECK(no_folder.blame() == Blame::kUser);
  CHECK_THAT(no_folder.text(), Contains((dir / "file/orders").string()));

  CheckpointFolder folder(dir.path(), "orders");
  CheckpointWriter writer = folder.begin({1});
  fs::create_symlink("/dev/full", writer.folder() / "full");
  const Error full = error_of([&] { writer.add_bytes("full", "x"); });
  CHECK(full.blame() == Blame::kEnvironment);
  CHECK_THAT(full.text(),
             Contains((writer.folder() / "full").string()) && Contains("No space left") && Contains("make space"));
  CHECK_THAT(error_of([&] { writer.add_present("gone"); }).text(), Contains((writer.folder() / "gone").string()));
}

TEST_CASE("what is no checkpoint is said to be none, with a hint") {
  const TemporaryFolder dir;
  CheckpointFolder folder(dir.path(), "orders");
  commit_new(folder, 1);
  const auto text = [&](const fs::path& path) {
    const Error e = error_of([&] { read_checkpoint(path); });
    CHECK(e.blame() == Blame::kUser);
    return e.text();
  };
  CHECK_THAT(text(dir / "nothing"), Contains("there is no such folder"));
  CHECK_THAT(text(dir / "orders"),
             Contains("it is the folder of a job; its newest checkpoint is") && Contains("chk-000001"));
  CHECK_THAT(text(dir / "orders/LOCK"), Contains("it is a file"));
  CHECK_THAT(text(dir / "orders/chk-000001/state"), Contains("it has no manifest.json"));
  CHECK(error_of([&] { list_checkpoints(dir / "nothing"); }).blame() == Blame::kUser);
}

TEST_CASE("killed at any system call of a checkpoint's life the folder holds whole checkpoints only") {
  const TemporaryFolder dir;
  const auto life = [&] {
    CheckpointFolder folder(dir.path(), "orders");
    prepare(folder, 3);
    folder.commit({3});
    folder.expire(1);
    prepare(folder, 4);
    folder.delete_prepared({4});
  };
  {
    CheckpointFolder folder(dir.path(), "before");
    commit_new(folder, 1);
    commit_new(folder, 2);
  }
  std::set<std::string> seen;
  int calls = 0;
  for (bool killed = true; killed; ++calls) {
    fs::remove_all(dir / "orders");
    fs::copy(dir / "before", dir / "orders", fs::copy_options::recursive);
    killed = run_and_kill(life, calls);
    const bool begun = fs::exists(dir / "orders/chk-000003.writing");
    CheckpointFolder folder(dir.path(), "orders");
    const std::string there = checkpoints(folder.path());
    seen.insert(there);
    CHECK(others(folder.path()) == "LOCK ");
    // Once a number was in use the next one is larger, also when nothing of it is left.
    if (begun) CHECK(folder.next_epoch(std::nullopt).value >= 4);
    for (const CheckpointEntry& entry : folder.list()) folder.commit(entry.epoch);
    REQUIRE(calls < 10'000);
  }
  CHECK(seen == std::set<std::string>{"1 2", "1 2 3.prepared", "1 2 3", "2 3", "3", "3 4.prepared"});
}

}  // namespace weir
