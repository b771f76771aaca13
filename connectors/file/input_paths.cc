#include "connectors/file/input_paths.h"

#include <fnmatch.h>

#include <filesystem>

#include "runtime/base/error.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

/// The names in a folder, sorted; hidden ones only when asked for.
std::vector<std::string> names_in(const std::string& source, const std::string& folder, bool hidden = false) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? "." : folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (hidden || !name.starts_with('.')) names.push_back(std::move(name));
  }
  if (error)
    throw Error(Blame::kUser, fmt::format("source {}: cannot read the folder {}: {}", source, folder, error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::vector<std::string> files_of_folder(const std::string& source, const std::string& path) {
  std::vector<std::string> files;
  for (const std::string& name : names_in(source, path))
    if (std::string file = (fs::path(path) / name).string(); is_file(file)) files.push_back(std::move(file));
  return files;
}

/// What stands between slashes.
std::vector<std::string> parts_of(std::string_view pattern) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, slash = 0; slash != std::string_view::npos; begin = slash + 1) {
    slash = pattern.find('/', begin);
    parts.emplace_back(pattern.substr(begin, slash - begin));
  }
  return parts;
}

/// Finds the files of a pattern, folder by folder.
class PatternWalk {
 public:
  PatternWalk(const std::string& source, const std::string& pattern) : source_(source), parts_(parts_of(pattern)) {
    const auto repeated = [](const auto& a, const auto& b) { return a == "**" && b == "**"; };
    parts_.erase(std::unique(parts_.begin(), parts_.end(), repeated), parts_.end());
    if (parts_.back() == "**") parts_.push_back("*");
  }

  std::vector<std::string> files() {
    walk("", 0);
    std::sort(files_.begin(), files_.end());
    files_.erase(std::unique(files_.begin(), files_.end()), files_.end());
    return std::move(files_);
  }

 private:
  /// `before` is the path so far, with its slash.
  void walk(const std::string& before, std::size_t at) {
    const std::string& part = parts_[at];
    const bool last = at + 1 == parts_.size();
    if (part == "**") return walk_below(before, at + 1);
    if (part.find_first_of("*?[") == std::string::npos) return last ? take(before + part) : go_on(before + part, at + 1);
    for (const std::string& name : names_in(source_, before, part.starts_with('.')))
      if (::fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) == 0) last ? take(before + name) : go_on(before + name, at + 1);
  }

  /// `before` and all folders below; links to folders are not followed there, which may go round in circles.
  void walk_below(const std::string& before, std::size_t at) {
    walk(before, at);
    for (const std::string& name : names_in(source_, before)) {
      std::error_code error;
      if (is_folder(before + name) && !fs::is_symlink(before + name, error)) walk_below(before + name + "/", at);
    }
  }

  void go_on(const std::string& folder, std::size_t at) {
    if (folder.empty() || is_folder(folder)) walk(folder + "/", at);
  }

  void take(const std::string& path) {
    if (is_file(path)) files_.push_back(path);
  }

  const std::string& source_;
  std::vector<std::string> parts_;
  std::vector<std::string> files_;
};

}  // namespace

std::optional<std::string> better_pattern(std::string_view path) {
  std::size_t at = 0;
  for (const std::string& part : parts_of(path)) {
    if (const std::size_t end = part.rfind("**"); part != "**" && end != std::string::npos)
      return fmt::format("{}**/*{}", path.substr(0, at), path.substr(at + end + 2));
    at += part.size() + 1;
  }
  return std::nullopt;
}

std::vector<std::string> input_files(const std::string& source, const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return files_of_folder(source, path);
  if (fs::is_regular_file(status)) return {path};
  if (fs::exists(status))
    throw Error(Blame::kUser,
                fmt::format("source {}: {} is neither a file nor a folder (a pipe is read with type: stdin)", source, path));
  const std::string here = fs::current_path(error).string();
  if (const std::size_t brace = path.find('{'); brace != std::string::npos && path.find('}', brace) != std::string::npos)
    throw Error(Blame::kUser,
                fmt::format("source {}: there is no file {} (in {}), and braces are no pattern: use *, ?, [ ] and **, or "
                            "several sources and a union",
                            source, path, here));
  if (path.find_first_of("*?[") == std::string::npos)
    throw Error(Blame::kUser, fmt::format("source {}: there is no file or folder {} (in {})", source, path, here));
  std::vector<std::string> files = PatternWalk(source, path).files();
  if (files.empty()) throw Error(Blame::kUser, fmt::format("source {}: no file matches {} (in {})", source, path, here));
  return files;
}

}  // namespace weir
