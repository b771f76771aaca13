#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace weir {

/// The checksum of a file in a checkpoint: XXH3 of 128 bits (https://xxhash.com), seed 0, written as 32 lower-case
/// hexadecimal digits, the higher half first. Bytes may come in pieces. Not thread-safe.
class FileChecksum {
 public:
  FileChecksum();
  ~FileChecksum();
  FileChecksum(FileChecksum&&) noexcept;
  void add(std::string_view bytes);
  /// Of all bytes so far; more may follow.
  std::string text() const;

  static std::string of(std::string_view bytes);
  /// Reads the whole file. Throws Error(kEnvironment) with its path.
  static std::string of_file(const std::filesystem::path& file);

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace weir
