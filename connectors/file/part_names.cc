#include "connectors/file/part_names.h"

namespace weir {
namespace {

constexpr std::string_view kPrefix = ".weir.", kSuffix = ".pending";

/// Letters, digits, `_` and `-` as they are, other bytes as %XX: no dots, so that names can be told apart.
std::string escape(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace

std::string pending_name(const PartId& part) {
  return fmt::format("{}{}.{}.{}.{}.{}.{}{}", kPrefix, escape(part.job), escape(part.sink), part.run.value, part.epoch.value,
                     part.task, part.number, kSuffix);
}

std::string final_name(const PartId& part, std::string_view extension) {
  return fmt::format("part-{:06}-{}-{:03}-{}.{}", part.epoch.value, part.task, part.number, part.run.value.substr(0, 8),
                     extension);
}

bool is_pending_of(std::string_view job, std::string_view file_name) {
  return file_name.starts_with(fmt::format("{}{}.", kPrefix, escape(job))) && file_name.ends_with(kSuffix);
}

}  // namespace weir
