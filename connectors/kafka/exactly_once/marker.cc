#include "connectors/kafka/exactly_once/marker.h"

#include <algorithm>
#include <charconv>

#include "runtime/base/error.h"

namespace weir {
namespace {

constexpr std::string_view kVersion = "weir1";

/// Cuts the next word off `text`.
std::string_view next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

std::string marker_text(const Marker& marker, const std::string& moved_to) {
  std::string text = fmt::format("{} {} {}", kVersion, marker.epoch.value, marker.run.value);
  if (!moved_to.empty()) text += " moved " + moved_to;
  return text;
}

std::optional<AuthorityAnswer> parse_marker(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; })) return std::nullopt;
  if (next_word(text) != kVersion) return std::nullopt;
  const std::string_view number = next_word(text), run = next_word(text), moved = next_word(text);
  AuthorityAnswer answer{Marker{{}, {std::string(run)}}, std::string(text)};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), answer.marker->epoch.value);
  const bool whole = error == std::errc() && end == number.data() + number.size() && answer.marker->epoch.value > 0;
  const bool moves = moved == "moved" && !text.empty();
  if (!whole || run.empty() || (!moves && !moved.empty())) return std::nullopt;
  return answer;
}

bool is_of_weir(std::string_view text) {
  const std::string_view word = next_word(text);
  return word.starts_with("weir") && word.size() > 4 &&
         std::all_of(word.begin() + 4, word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<MarkerEntry> newest_marker(const std::string& group, const std::vector<MarkerEntry>& entries) {
  const MarkerEntry* newest = nullptr;
  for (const MarkerEntry& entry : entries) {
    const Marker& m = *entry.answer.marker;
    if (newest && m.epoch == newest->answer.marker->epoch && m.run != newest->answer.marker->run)
      throw Error(
          Blame::kRefused,
          fmt::format("group {} holds two markers of checkpoint {}: run {} at topic {}, run {} at topic {}; delete the "
                      "entry of the run that does not count, or start with another name",
                      group, m.epoch.value, newest->answer.marker->run.value, newest->topic, m.run.value, entry.topic));
    // The same marker at two topics: what says that it moved was written later.
    if (!newest || newest->answer.marker->epoch < m.epoch ||
        (newest->answer.marker->epoch == m.epoch && !entry.answer.moved_to.empty()))
      newest = &entry;
  }
  return newest ? std::optional(*newest) : std::nullopt;
}

}  // namespace weir
