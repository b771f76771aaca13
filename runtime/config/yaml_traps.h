#pragma once
#include <memory>
#include <string>

#include "runtime/config/diagnostics.h"
#include "runtime/config/node.h"

namespace weir {

/// Says in human words why YAML does not parse: `reason` is the parser's message, `offset` where it gave up. Where one of
/// YAML's well-known traps is near (a tab, a comma within { }, text after a closing quote, a value that begins with `%`, …)
/// it names that and what to write instead.
void explain_yaml_error(const std::shared_ptr<const SourceText>& source, std::size_t offset, const std::string& reason,
                        Diagnostics& diagnostics);

/// Finds values of a finished flow mapping or list that a comma cut in two (`{ x: coalesce(a, b) }`), reports each, and
/// joins the parts.
void rejoin_split_values(Node& collection, const std::shared_ptr<const SourceText>& source, Diagnostics& diagnostics);

/// Reports and repairs entries of a finished mapping whose colon or blank is missing (`{ type generator }`), and blanks at
/// the ends of keys and values that are none (U+00A0).
void repair_entries(Node& mapping, const std::shared_ptr<const SourceText>& source, Diagnostics& diagnostics);

/// What to do about a quote that is never closed.
inline constexpr const char* kQuoteHint = "close it with the same quote; within the value write '' for ' and \\\" for \"";

/// `text` in YAML double quotes.
std::string in_double_quotes(std::string_view text);

}  // namespace weir
