#include "tests/support/temporary_folder.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace weir {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(Medium medium) {
  const fs::path memory = "/dev/shm";
  const bool in_memory = medium == Medium::kMemory && ::access(memory.c_str(), W_OK) == 0;
  std::string path = ((in_memory ? memory : fs::temp_directory_path()) / "weir-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr)
    throw fs::filesystem_error("cannot make a temporary folder", path, std::error_code(errno, std::generic_category()));
  path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  if (std::getenv("WEIR_KEEP_FILES") != nullptr) {
    std::fprintf(stderr, "kept: %s\n", path_.c_str());
    return;
  }
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path TemporaryFolder::write(std::string_view name, std::string_view text) const {
  fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
  return file;
}

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string unique_name(std::string_view prefix) {
  static std::atomic<int> calls{0};
  static const auto started = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
  return std::string(prefix) + "-" + std::to_string(started % 1'000'000'000) + "-" + std::to_string(getpid()) + "-" +
         std::to_string(++calls);
}

}  // namespace weir
