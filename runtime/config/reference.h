#pragma once
#include <string>

#include "runtime/config/catalogue.h"

namespace weir {

/// The reference page of a component as plain text: summary, every key with type, default and meaning, caveats, examples.
std::string reference_page(const Declaration& declaration);
/// One line for every component, by kind.
std::string component_list(const Catalogue& catalogue);
/// The JSON schema (draft 2020-12) of a pipeline file, for editors.
std::string json_schema(const Catalogue& catalogue);

}  // namespace weir
