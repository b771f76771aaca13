#pragma once
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace weir {

/// A file of tests/pipelines/invalid: its first lines say, as comments, every message that it must cause, sorted as shown:
///
///     # error: 7:12: unknown key 'topik'
///     # hint: did you mean topic?
///
/// `# needs components` says that the messages come from the real components, not from the file's shape alone.
struct InvalidFile {
  std::string name;  ///< without the folder
  std::string text;
  std::string expected;  ///< lines as in the file, without `# `
  bool needs_components = false;
};

inline InvalidFile read_invalid_file(const std::string& path) {
  InvalidFile file;
  file.name = path.substr(path.rfind('/') + 1);
  std::ifstream in(path, std::ios::binary);
  file.text.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  std::size_t at = 0;
  while (at < file.text.size() && file.text[at] == '#') {
    const std::size_t end = std::min(file.text.find('\n', at), file.text.size());
    const std::string line = file.text.substr(at, end - at);
    if (line == "# needs components") file.needs_components = true;
    for (const char* begin : {"# error: ", "# warning: ", "# hint: "})
      if (line.starts_with(begin)) file.expected += line.substr(2) + "\n";
    at = end + 1;
  }
  return file;
}

/// Turns what the program prints into the form of the comments: no file name, no source lines.
inline std::string as_expected(const std::string& printed, const std::string& file_name) {
  std::string out;
  for (std::size_t at = 0; at < printed.size();) {
    const std::size_t end = std::min(printed.find('\n', at), printed.size());
    const std::string line = printed.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("  hint: ")) {
      out += line.substr(2) + "\n";
      continue;
    }
    for (const std::string severity : {"error", "warning"}) {
      const std::size_t place = line.find(": " + severity + ": ");
      if (!line.starts_with(file_name + ":") || place == std::string::npos) continue;
      const std::string position = line.substr(file_name.size() + 1, place - file_name.size() - 1);
      out += severity + ": " + position + ": " + line.substr(place + severity.size() + 4) + "\n";
      break;
    }
  }
  return out;
}

}  // namespace weir
