#include "runtime/config/environment.h"

#include <fmt/format.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "runtime/base/error.h"

namespace weir {

std::optional<std::string> ProcessEnvironment::variable(const std::string& name) const {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::string ProcessEnvironment::file(const std::string& path) const {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(Blame::kUser, std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) throw Error(Blame::kUser, "it cannot be read");
  return text;
}

}  // namespace weir
