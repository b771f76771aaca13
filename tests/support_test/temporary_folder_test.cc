#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

using namespace weir;

TEST_CASE("a temporary folder and all in it are gone at the end") {
  std::filesystem::path path;
  {
    TemporaryFolder folder;
    path = folder.path();
    CHECK(read_file(folder.write("deep/down/file.txt", "text\n")) == "text\n");
    CHECK(std::filesystem::exists(folder / "deep/down/file.txt"));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("unique names differ and keep their prefix") {
  const std::string a = unique_name("topic"), b = unique_name("topic");
  CHECK(a != b);
  CHECK(a.substr(0, 6) == "topic-");
}
