#pragma once
#include <optional>
#include <string>

#include "runtime/config/diagnostics.h"
#include "runtime/config/node.h"

namespace weir {

/// Where `${NAME}` and `${file:PATH}` come from; handed in so that tests can set it.
class Environment {
 public:
  virtual ~Environment() = default;
  /// The value of a variable, or nullopt where it is not set.
  virtual std::optional<std::string> variable(const std::string& name) const = 0;
  /// The content of a file. Throws weir::Error that says why it cannot be read.
  virtual std::string file(const std::string& path) const = 0;
};

/// The environment of the process, and its files (relative to the working directory).
class ProcessEnvironment final : public Environment {
 public:
  std::optional<std::string> variable(const std::string& name) const override;
  std::string file(const std::string& path) const override;
};

/// Substitutes in every scalar of the tree, keys too:
///   `${NAME}`           the variable; an error with its position where it is not set
///   `${NAME:-default}`  the default where it is not set or empty
///   `${NAME:?message}`  an error with this message where it is not set or empty
///   `${file:PATH}`      the content of a file without white space at its ends, marked as a secret; not in keys
///   `$${`               a literal `${`
/// Substituted text is not looked at again. Offsets of values keep pointing into the file.
void substitute(Node& root, const Environment& environment, Diagnostics& diagnostics);

}  // namespace weir
