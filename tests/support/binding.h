#pragma once
#include <memory>
#include <string>
#include <vector>

#include "runtime/api/component.h"

namespace weir {

/// What came of binding a component: the bound thing, or the problems as Diagnostics::format prints them.
template <typename T>
struct Binding {
  std::unique_ptr<T> bound;
  std::string problems;
  T* operator->() const { return bound.get(); }
  T& operator*() const { return *bound; }
};

/// Reads a component's mapping (its YAML, without `from`) and binds it under the name `step`, `source` or `sink`. The inputs
/// are called a, b, …. The file is called t.yaml.
Binding<BoundStep> bind_step(const Components& components, const std::string& yaml, const std::vector<SchemaPtr>& inputs);
Binding<BoundSink> bind_sink(const Components& components, const std::string& yaml, const std::vector<SchemaPtr>& inputs);
Binding<BoundSource> bind_source(const Components& components, const std::string& yaml);

}  // namespace weir
