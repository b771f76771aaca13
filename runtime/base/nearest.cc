#include "runtime/base/nearest.h"

#include <algorithm>
#include <vector>

namespace weir {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Lower case, without `_` and `-`: what is left of a name that was only spelt in another convention.
std::string folded(std::string_view name) {
  std::string out;
  for (char c : name)
    if (c != '_' && c != '-') out += lower(c);
  return out;
}

constexpr std::size_t kLongestName = 200;  ///< longer ones are nobody's typing mistake

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> before(width), last(width), row(width);
  for (std::size_t j = 0; j < width; ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  if (name.empty() || name.size() > kLongestName) return {};
  const std::string plain = folded(name);
  const std::string* best = nullptr;
  int least = std::max<int>(1, static_cast<int>(name.size()) / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (!plain.empty() && folded(candidate) == plain) return candidate;
    if (candidate.size() > kLongestName) continue;
    const int distance = edit_distance(name, candidate);
    const bool shares_something = distance < static_cast<int>(std::max(name.size(), candidate.size()));
    if (distance < least && shares_something) least = distance, best = &candidate;
  }
  return best ? *best : std::string();
}

std::string nearest_hint(std::string_view name, std::span<const std::string> candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? std::string() : "did you mean " + nearest + "?";
}

}  // namespace weir
