#pragma once
#include <cstdio>
#include <string>

namespace weir {

/// `weir eval "EXPR" [--input ROW.json]`: prints `VALUE :: TYPE`, or with `json` `{"type":…,"value":…}`. The members of the
/// row's object are the columns: whole numbers bigint, others double, true and false boolean, text varchar (timestamp where
/// it reads as one), the rest json.
int eval_command(const std::string& expression, const std::string& row_path, bool json, std::FILE* out);

/// `weir functions [NAME]`: the reference of functions and operators.
int functions_command(const std::string& name, std::FILE* out);

}  // namespace weir
