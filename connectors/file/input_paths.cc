#include "connectors/file/input_paths.h"

#include <glob.h>

#include <filesystem>

#include "runtime/base/error.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_of_folder(const std::string& source, const std::string& path) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(path, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().filename().string().starts_with('.') || !entry->is_regular_file()) continue;
    files.push_back(entry->path().string());
  }
  if (error)
    throw Error(Blame::kUser, fmt::format("source {}: cannot read the folder {}: {}", source, path, error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> files_that_match(const std::string& pattern) {
  std::vector<std::string> files;
  glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      std::error_code error;
      if (fs::is_regular_file(found.gl_pathv[i], error)) files.emplace_back(found.gl_pathv[i]);
    }
  }
  ::globfree(&found);
  return files;
}

}  // namespace

std::vector<std::string> input_files(const std::string& source, const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return files_of_folder(source, path);
  if (fs::is_regular_file(status)) return {path};
  if (fs::exists(status))
    throw Error(Blame::kUser,
                fmt::format("source {}: {} is neither a file nor a folder (a pipe is read with type: stdin)", source, path));
  if (path.find_first_of("*?[") != std::string::npos) {
    std::vector<std::string> files = files_that_match(path);
    if (!files.empty()) return files;
    throw Error(Blame::kUser,
                fmt::format("source {}: no file matches {} (in {})", source, path, fs::current_path(error).string()));
  }
  throw Error(Blame::kUser, fmt::format("source {}: there is no file or folder {} (in {})", source, path,
                                        fs::current_path(error).string()));
}

}  // namespace weir
