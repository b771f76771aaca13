#pragma once
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace weir {

/// The commands `weir state …`: rows of a checkpoint, decoded, without job or broker. The positions of a source are its
/// table `splits`. They return the exit code and throw Error: kUser for what is no checkpoint, kRefused for what is torn.

/// `ls CHECKPOINT`: steps and sources with their tables, rows and bytes; as `json` one list of objects.
int state_ls(const std::string& checkpoint, bool json, std::FILE* out);

enum class DumpFormat {
  kJson,   ///< an object a line
  kCsv,    ///< key and value as JSON in a cell
  kTable,  ///< for people
};

struct DumpOptions {
  std::string step, table;  ///< only these; empty: all
  std::string key;          ///< a JSON object: only rows whose key has these values (key_filter.h); empty: all
  std::optional<std::uint64_t> limit{};
  DumpFormat format = DumpFormat::kJson;
};

/// `dump CHECKPOINT`. That no row has the key that was asked for is said in `notes`.
int state_dump(const std::string& checkpoint, const DumpOptions& options, std::FILE* out, std::FILE* notes = stderr);

/// `diff A B`: rows that are only in A (`-`), only in B (`+`), and the members that changed (`~`).
int state_diff(const std::string& a, const std::string& b, std::FILE* out);

}  // namespace weir
