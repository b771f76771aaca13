#pragma once
#include <string>
#include <string_view>

namespace weir {

/// Text from outside (names of topics, what others wrote into a group, what a broker says, values of rows) as it may go to a terminal or a
/// log: one line, without anything that a terminal obeys. Control characters (C0, DEL, C1), the marks that turn the direction of writing,
/// and bytes that are no UTF-8 become `\n`, `\t`, `\r`, `\x1b`, `\u202e`. Everything else stays, so text of printable characters
/// comes back as it is.
std::string printable(std::string_view text);
/// printable() of each line, for messages of several.
std::string printable_lines(std::string_view text);
/// True if printable() would change nothing; faster.
bool is_printable(std::string_view text);

}  // namespace weir
