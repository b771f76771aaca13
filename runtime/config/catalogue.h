#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/config/declaration.h"

namespace weir {

/// The declarations of all components that the program has. Filled by the wiring, then only read.
class Catalogue {
 public:
  /// Adds a component. Two of one kind and name are a bug (throws).
  void add(Declaration declaration);
  /// Adds the names of the language that are not built, unless they are there: `aggregate`, `avro`, ….
  void add_not_supported_yet();

  /// The declaration, or null. Valid as long as the catalogue.
  const Declaration* find(ComponentKind kind, std::string_view name) const;
  /// The names of a kind, in the order in which they were added.
  std::vector<std::string> names(ComponentKind kind, bool only_supported = false) const;
  const std::deque<Declaration>& all() const { return all_; }

 private:
  std::deque<Declaration> all_;
};

}  // namespace weir
