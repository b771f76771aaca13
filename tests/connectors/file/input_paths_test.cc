#include "connectors/file/input_paths.h"

#include <catch2/catch.hpp>

#include "tests/support/temporary_folder.h"

namespace weir {

TEST_CASE("two stars stand for any number of folders, and none") {
  TemporaryFolder folder;
  folder.write("data/a.jsonl", "");
  folder.write("data/2024/01/c.jsonl", "");
  folder.write("data/2024/b.jsonl", "");
  folder.write("data/2024/b.txt", "");
  folder.write("data/2024/.hidden.jsonl", "");
  folder.write("data/.git/d.jsonl", "");
  std::filesystem::create_directory_symlink(folder / "data", folder / "data/2024/round");
  const auto names = [&](const std::string& pattern) {
    std::string all;
    for (const std::string& file : input_files("in", (folder / pattern).string()))
      all += (all.empty() ? "" : " ") + std::filesystem::path(file).lexically_relative(folder.path()).string();
    return all;
  };
  const std::string three = "data/2024/01/c.jsonl data/2024/b.jsonl data/a.jsonl";
  CHECK(names("data/**/*.jsonl") == three);
  CHECK(names("**/*.jsonl") == three);
  CHECK(names("**/**/data/**/**/*.jsonl") == three);
  CHECK(names("**/b.jsonl") == "data/2024/b.jsonl");
  CHECK(names("data/**/0?/*.jsonl") == "data/2024/01/c.jsonl");
  CHECK(names("data/**") == "data/2024/01/c.jsonl data/2024/b.jsonl data/2024/b.txt data/a.jsonl");
  CHECK(names("data/*/b.*") == "data/2024/b.jsonl data/2024/b.txt");
  CHECK(names("data/*/.hid*") == "data/2024/.hidden.jsonl");
  CHECK(names("data/2024/round/*.jsonl") == "data/2024/round/a.jsonl");
  CHECK(better_pattern("data/**.jsonl") == "data/**/*.jsonl");
  CHECK(better_pattern("a/b**/c/*.csv") == "a/**/*/c/*.csv");
  CHECK(better_pattern("***") == "**/*");
  CHECK_FALSE(better_pattern("data/**/a/**/*.jsonl"));
  CHECK_FALSE(better_pattern("*"));
  CHECK_THROWS_WITH(names("data/{a,b}.jsonl"), Catch::Contains("braces are no pattern"));
  CHECK_THROWS_WITH(names("none/**/*.jsonl"), Catch::Contains("no file matches"));
}

}  // namespace weir
