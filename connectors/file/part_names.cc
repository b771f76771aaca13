#include "connectors/file/part_names.h"

#include <charconv>

namespace weir {
namespace {

constexpr std::string_view kPrefix = ".weir.", kSuffix = ".pending";

/// Letters, digits, `_` and `-` as they are, other bytes as %XX: no dots, so that names can be told apart.
std::string escape(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (plain) out += c;
    else out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// True for what names of parts are made of.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '%' ||
         c == '.';
}

std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    fields.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

template <typename T>
bool read_number(std::string_view digits, T& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.starts_with('-');
}

}  // namespace

std::string pending_name(const PartId& part) {
  return fmt::format("{}{}.{}.{}.{}.{}.{}.{}{}", kPrefix, escape(part.job), part.home, escape(part.sink), part.run.value,
                     part.epoch.value, part.task, part.number, kSuffix);
}

std::string final_name(const PartId& part, std::string_view extension) {
  return fmt::format("part-{:06}-{}-{:03}-{}.{}", part.epoch.value, part.task, part.number, part.run.value.substr(0, 8),
                     extension);
}

bool is_pending_of(std::string_view job, std::string_view home, std::string_view file_name) {
  return file_name.starts_with(fmt::format("{}{}.{}.", kPrefix, escape(job), home)) && file_name.ends_with(kSuffix);
}

bool are_names_of_part(std::string_view job, std::string_view pending, std::string_view final) {
  const std::string prefix = fmt::format("{}{}.", kPrefix, escape(job));
  if (!pending.starts_with(prefix) || !pending.ends_with(kSuffix) || pending.size() < prefix.size() + kSuffix.size())
    return false;
  const std::vector<std::string_view> fields =
      fields_of(pending.substr(prefix.size(), pending.size() - prefix.size() - kSuffix.size()));
  if (fields.size() != 6 || !std::all_of(pending.begin(), pending.end(), is_plain)) return false;
  PartId part{.run = {std::string(fields[2])}};
  const bool numbers =
      read_number(fields[3], part.epoch.value) && read_number(fields[4], part.task) && read_number(fields[5], part.number);
  if (!numbers || part.run.value.empty()) return false;
  const std::string begin = final_name(part, "");
  return final.starts_with(begin) && final.size() > begin.size() && std::all_of(final.begin(), final.end(), is_plain);
}

}  // namespace weir
