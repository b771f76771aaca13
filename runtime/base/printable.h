#pragma once
#include <string>
#include <string_view>

namespace weir {

/// Text from outside (names of topics, what others wrote into a group, what a broker says, values of rows) as it may go to a
/// terminal or a log: one line, without anything that a terminal obeys. The bytes of control characters (C0, DEL, C1), of
/// separators of lines, of the marks that turn the direction of writing, and those that are no UTF-8 are written as \xNN.
/// Everything else stays as it is.
std::string printable(std::string_view text);
/// printable() of each line, for messages of several.
std::string printable_lines(std::string_view text);
/// True if printable() would change nothing; faster.
bool is_printable(std::string_view text);

}  // namespace weir
