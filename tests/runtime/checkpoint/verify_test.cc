#include "runtime/checkpoint/verify.h"

#include <catch2/catch.hpp>

#include "runtime/base/error.h"
#include "runtime/checkpoint/folder.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

/// A committed checkpoint with two files.
struct Fixture {
  Fixture() {
    CheckpointFolder folder(dir.path(), "orders");
    CheckpointWriter writer = folder.begin({1});
    writer.add_bytes("state/a", "abc");
    writer.add_bytes("state/b", "abcd");
    Manifest m;
    m.id = {1};
    writer.prepare(m);
    folder.commit({1});
  }
  std::string refusal(VerifyLevel level = VerifyLevel::kUpTo1GiB) const {
    try {
      verify_checkpoint(checkpoint, level);
    } catch (const Error& e) {
      CHECK(e.blame() == Blame::kRefused);
      CHECK_THAT(e.text(), Contains(checkpoint.string()));
      return e.text();
    }
    return "accepted";
  }
  TemporaryFolder dir;
  fs::path checkpoint = dir / "orders/chk-000001";
};

}  // namespace

TEST_CASE("a checkpoint as it was written is verified") {
  const Fixture f;
  const Verified v = verify_checkpoint(f.checkpoint);
  CHECK(v.files == 2);
  CHECK(v.bytes == 7);
  CHECK(v.checksums);
  CHECK(!verify_checkpoint(f.checkpoint, VerifyLevel::kSizes).checksums);
}

TEST_CASE("a copy somewhere else is verified as well") {
  const Fixture f;
  fs::copy(f.checkpoint, f.dir / "copy", fs::copy_options::recursive);
  CHECK(verify_checkpoint(f.dir / "copy", VerifyLevel::kFull).files == 2);
}

TEST_CASE("a file that is missing, torn, changed or no file is refused") {
  const Fixture f;
  SECTION("missing") {
    fs::remove(f.checkpoint / "state/b");
    CHECK_THAT(f.refusal(VerifyLevel::kSizes), Contains("state/b is missing"));
  }
  SECTION("torn") {
    fs::resize_file(f.checkpoint / "state/b", 2);
    CHECK_THAT(f.refusal(VerifyLevel::kSizes), Contains("state/b has 2 bytes, expected 4"));
  }
  SECTION("changed") {
    f.dir.write("orders/chk-000001/state/b", "abcD");
    CHECK(f.refusal(VerifyLevel::kSizes) == "accepted");
    CHECK_THAT(f.refusal(), Contains("state/b was changed: its checksum is") && Contains("expected"));
  }
  SECTION("a folder") {
    fs::remove(f.checkpoint / "state/b");
    fs::create_directory(f.checkpoint / "state/b");
    CHECK_THAT(f.refusal(VerifyLevel::kSizes), Contains("state/b is not a file"));
  }
  SECTION("manifest torn") {
    fs::resize_file(f.checkpoint / "manifest.json", 100);
    CHECK_THAT(f.refusal(VerifyLevel::kSizes), Contains("torn"));
  }
}

TEST_CASE("checksums of more than one GiB are left out unless all are asked for") {
  const TemporaryFolder dir;
  CheckpointFolder folder(dir.path(), "orders");
  CheckpointWriter writer = folder.begin({1});
  dir.write("orders/chk-000001.writing/state/big", "");
  fs::resize_file(writer.folder() / "state/big", (1ull << 30) + 1);
  writer.add_present("state/big", std::string(32, '0'));
  Manifest m;
  m.id = {1};
  writer.prepare(m);
  CHECK(!verify_checkpoint(dir / "orders/chk-000001.prepared").checksums);
  CHECK_THROWS_AS(verify_checkpoint(dir / "orders/chk-000001.prepared", VerifyLevel::kFull), Error);
}

}  // namespace weir
