#pragma once
#include <filesystem>
#include <string_view>

namespace weir {

/// A part that is being written. All calls block, and throw weir::Error (environment) with the path and the system's reason.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  /// Makes it, and its folder. It must not be there.
  void create();
  void append(std::string_view bytes);
  /// Waits until it and its name are on the disk.
  void finish();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace weir
