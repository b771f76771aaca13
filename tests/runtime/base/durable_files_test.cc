#include "runtime/base/durable_files.h"

#include <catch2/catch.hpp>

#include "tests/support/temporary_folder.h"

namespace weir {

using Catch::Matchers::Contains;

TEST_CASE("what is there is told apart from what is not, and from what cannot be asked") {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "");
  std::filesystem::create_symlink(file, folder / "link");
  std::filesystem::create_symlink(folder / "round", folder / "round");
  CHECK(is_there(file));
  CHECK(is_file(file));
  CHECK(is_file(folder / "link"));
  CHECK_FALSE(is_folder(file));
  CHECK(is_folder(folder.path()));
  CHECK_FALSE(is_there(folder / "none"));
  CHECK_FALSE(is_there(folder / "file/below"));
  CHECK_FALSE(is_there(""));
  for (const std::filesystem::path& path : {folder / "round", folder / std::string(300, 'x')}) {
    try {
      is_there(path);
      FAIL("an answer where there is none");
    } catch (const Error& e) {
      CHECK(e.blame() == Blame::kEnvironment);
      CHECK_THAT(e.text(), Contains("cannot look at " + path.string()));
    }
    CHECK_THROWS_AS(is_folder(path), Error);
    CHECK_THROWS_AS(is_file(path), Error);
  }
}

TEST_CASE("reasons of the system say what to do about them") {
  CHECK(system_reason(ENOSPC) == "No space left on device; make space on that disk");
  CHECK_THAT(system_reason(EMFILE), Contains("Too many open files; raise the limit") && Contains("the limit is "));
  CHECK(system_reason(ENOENT) == "No such file or directory");
}

}  // namespace weir
