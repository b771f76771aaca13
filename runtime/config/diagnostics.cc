#include "runtime/config/diagnostics.h"

#include <fmt/format.h>
#include <algorithm>

#include "runtime/base/secrets.h"
#include "runtime/base/utf8.h"
#include "runtime/config/secret_places.h"

namespace weir {
namespace {

constexpr int kWidest = 150;  ///< characters of a source line that are shown
constexpr int kBefore = 100;  ///< of these before the caret, where the line is longer

bool begins_character(char c) { return (c & 0xC0) != 0x80; }

/// The characters [first, last) of a line, from 0.
std::string_view characters(std::string_view line, int first, int last) {
  std::size_t begin = line.size(), end = line.size();
  int n = -1;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!begins_character(line[i])) continue;
    ++n;
    if (n == first) begin = i;
    if (n == last) {
      end = i;
      break;
    }
  }
  return line.substr(begin, end - begin);
}

int count_characters(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), begins_character));
}

/// What stands in the line of the caret below `text`: a tab below a tab, else a blank.
std::string blanks_below(std::string_view text) {
  std::string out;
  for (char c : text)
    if (begins_character(c)) out += c == '\t' ? '\t' : ' ';
  return out;
}

}  // namespace

void Diagnostics::error(const Location& where, std::string text, std::string hint) {
  add({Severity::kError, where, std::move(text), std::move(hint)});
}

void Diagnostics::warning(const Location& where, std::string text, std::string hint) {
  add({Severity::kWarning, where, std::move(text), std::move(hint)});
}

void Diagnostics::conceal(const Location& where) { concealed_.push_back(where); }

void Diagnostics::add(Diagnostic diagnostic) {
  if (full()) return;
  const auto is_within = [&](const Location& secret) {
    return !diagnostic.location.value_map() && diagnostic.location.source() == secret.source() &&
           diagnostic.location.offset() == secret.offset();
  };
  if (std::any_of(concealed_.begin(), concealed_.end(), is_within)) {
    diagnostic.text = "something is wrong with this secret; what is not shown, since it might be a piece of it";
    diagnostic.hint.clear();
  }
  diagnostic.text = masked(without_pieces(std::move(diagnostic.text), diagnostic.location));
  diagnostic.hint = masked(without_pieces(std::move(diagnostic.hint), diagnostic.location));
  for (const Diagnostic& d : all_)
    if (d.location.source() == diagnostic.location.source() && d.location.offset() == diagnostic.location.offset() &&
        d.text == diagnostic.text)
      return;
  if (diagnostic.severity == Severity::kError) ++errors_;
  all_.push_back(std::move(diagnostic));
}

void Diagnostics::hide(const Location& where, std::size_t length) {
  if (where.source()) hidden_.push_back({where.source(), where.offset(), where.offset() + length, false});
}

void Diagnostics::hide_secrets(const std::shared_ptr<const SourceText>& source) {
  for (const TextRange& place : secret_places(source->text()))
    hidden_.push_back({source.get(), place.begin, place.end, true});
}

void Diagnostics::reveal(const Location& where, std::size_t length) {
  std::erase_if(hidden_, [&](const Hidden& h) {
    return h.is_guess && h.source == where.source() && h.begin >= where.offset() && h.end <= where.offset() + length;
  });
}

bool Diagnostics::hides(const Location& where) const {
  return std::any_of(hidden_.begin(), hidden_.end(), [&](const Hidden& h) {
    return h.source == where.source() && h.begin <= where.offset() && where.offset() < h.end;
  });
}

/// `text`, which quotes what stands in the file from `where` on, with *** for what lies behind `begin`, where something
/// hidden begins.
std::string without_rest(std::string text, const Location& where, std::size_t begin) {
  const std::string_view before = where.source()->text().substr(where.offset(), begin - where.offset());
  if (before.find('\n') != std::string_view::npos) return text;
  const std::size_t at = text.find("'" + std::string(before));
  if (at == std::string::npos) return text;
  const std::size_t rest = at + 1 + before.size();
  return text.replace(rest, text.rfind('\'') - std::min(rest, text.rfind('\'')), "***");
}

/// `text`, which is about the place `where`, with *** for each quoted part that is a piece of something hidden there.
std::string Diagnostics::without_pieces(std::string text, const Location& where) const {
  for (const Hidden& h : hidden_) {
    if (h.source == where.source() && h.begin > where.offset()) text = without_rest(std::move(text), where, h.begin);
    if (h.source != where.source() || where.offset() < h.begin || where.offset() >= h.end) continue;
    const std::string_view secret = h.source->text().substr(h.begin, h.end - h.begin);
    for (std::size_t at = 0; (at = text.find_first_of("'\"", at)) != std::string::npos;) {
      const std::size_t close = text.find(text[at], at + 1);
      if (close == std::string::npos) break;
      std::string_view piece = std::string_view(text).substr(at + 1, close - at - 1);
      if (piece.ends_with("...")) piece.remove_suffix(3);
      const bool is_path = secret.find("${file:" + std::string(piece) + "}") != std::string_view::npos;
      const bool is_piece = !piece.empty() && !is_path && secret.find(piece) != std::string_view::npos;
      if (is_piece) text.replace(at + 1, close - at - 1, "***");
      at = is_piece ? at + 5 : close + 1;
    }
  }
  return text;
}

std::string Diagnostics::shown(const SourceText& source) const {
  std::string text(source.text());
  for (const Hidden& h : hidden_)
    if (h.source == &source)
      for (std::size_t i = h.begin; i < std::min(h.end, text.size()); ++i)
        if (text[i] != '\n') text[i] = '*';
  return text;
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<const SourceText*> sources;
  for (const Diagnostic& d : all_)
    if (std::find(sources.begin(), sources.end(), d.location.source()) == sources.end())
      sources.push_back(d.location.source());
  const auto order = [&](const Diagnostic& d) { return std::find(sources.begin(), sources.end(), d.location.source()); };
  std::vector<Diagnostic> out = all_;
  std::stable_sort(out.begin(), out.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    return order(a) != order(b) ? order(a) < order(b) : a.location.offset() < b.location.offset();
  });
  return out;
}

std::string Diagnostics::format(bool color) const {
  std::string out;
  for (const Diagnostic& d : sorted()) {
    const bool is_error = d.severity == Severity::kError;
    if (d.location.source()) out += d.location.to_string() + ": ";
    if (color) out += is_error ? "\x1b[1;31m" : "\x1b[1;33m";
    out += is_error ? "error:" : "warning:";
    if (color) out += "\x1b[0m";
    out += " " + d.text + "\n";
    out += excerpt(d.location);
    if (!d.hint.empty()) out += "  hint: " + d.hint + "\n";
  }
  return out;
}

std::string Diagnostics::excerpt(const Location& where) const {
  if (!where.source()) return {};
  const Position place = where.position();
  const std::string line = masked_line(*where.source(), place.line);
  const int length = count_characters(line);
  const int first = length > kWidest ? std::max(0, place.column - 1 - kBefore) : 0;
  const int last = std::min(length, first + kWidest);
  const std::string number = fmt::format("{:>4}", place.line);
  const char* left = first > 0 ? "..." : "";
  const char* right = last < length ? "..." : "";
  const std::string before = left + std::string(characters(line, first, std::min(place.column - 1, length)));
  return fmt::format("{} | {}{}{}\n{} | {}^\n", number, left, characters(line, first, last), right,
                     std::string(number.size(), ' '), blanks_below(before));
}

std::string Diagnostics::masked_line(const SourceText& source, int line) const {
  std::string text(source.line(line));
  const std::size_t start = source.line_start(line);
  for (const Hidden& h : hidden_) {
    if (h.source != &source || h.end <= start || h.begin >= start + text.size()) continue;
    for (std::size_t i = std::max(h.begin, start); i < std::min(h.end, start + text.size()); ++i) text[i - start] = '*';
  }
  if (line == 1 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  // Bytes that a terminal would obey, or that are no text, are shown as a question mark.
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(std::string_view(text).substr(i));
    const bool control = text[i] != '\t' && (static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7F);
    if (length == 0 || control) text[i] = '?';
    i += std::max<std::size_t>(length, 1);
  }
  return text;
}

}  // namespace weir
