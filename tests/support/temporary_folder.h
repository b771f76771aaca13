#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace weir {

/// A new empty folder below the system's temporary folder, deleted with everything in it at the end of its life.
///
/// With the environment variable WEIR_KEEP_FILES set it stays and its path is printed, to look at what a test left behind.
class TemporaryFolder {
 public:
  /// In memory, where the machine has a file system there, many small files cost little however busy its disk is.
  enum class Medium { kDisk, kMemory };
  /// Makes the folder. Throws std::filesystem::filesystem_error.
  explicit TemporaryFolder(Medium medium = Medium::kDisk);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// The path of `name` in the folder; the file need not exist.
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  /// Writes a file (making folders above it) and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

/// The bytes of a file. Throws std::runtime_error when it cannot be read.
std::string read_file(const std::filesystem::path& file);

/// `prefix` and a suffix that no other call in this or another process gives: for topics, jobs, groups, brokers.
std::string unique_name(std::string_view prefix);

}  // namespace weir
