#include "runtime/expr/text/like.h"

#include "runtime/expr/text/utf8.h"

namespace weir::expr {

LikePattern::LikePattern(std::string_view pattern, std::string_view escape) {
  for (std::size_t i = 0; i < pattern.size();) {
    if (!escape.empty() && pattern.substr(i).starts_with(escape)) {
      i += escape.size();
      if (i == pattern.size()) {
        ends_with_escape_ = true;
        tokens_ += kLone;
        return;
      }
      const std::size_t n = code_point_size(pattern, i);
      tokens_ += pattern.substr(i, n);
      i += n;
    } else if (pattern[i] == '%') {
      if (tokens_.empty() || tokens_.back() != kAny) tokens_ += kAny;
      ++i;
    } else {
      tokens_ += pattern[i] == '_' ? kOne : pattern[i];
      ++i;
    }
  }
  const bool starts = tokens_.starts_with(kAny), ends = tokens_.ends_with(kAny);
  const std::size_t begin = starts ? 1 : 0, end = tokens_.size() - (ends ? 1 : 0);
  literal_ = begin <= end ? tokens_.substr(begin, end - begin) : "";
  if (literal_.find(kAny) != std::string::npos || literal_.find(kOne) != std::string::npos) return;
  shape_ = starts ? (ends ? Shape::kContains : Shape::kSuffix) : (ends ? Shape::kPrefix : Shape::kEqual);
}

LikePattern::Outcome LikePattern::match(std::string_view text) const {
  const auto outcome = [](bool matches) { return matches ? Outcome::kMatch : Outcome::kNoMatch; };
  switch (shape_) {
    case Shape::kEqual: return outcome(text == literal_);
    case Shape::kPrefix: return outcome(text.starts_with(literal_));
    case Shape::kSuffix: return outcome(text.ends_with(literal_));
    case Shape::kContains: return outcome(text.find(literal_) != std::string_view::npos);
    case Shape::kGeneral: return match_general(text);
  }
  return Outcome::kNoMatch;
}

/// Greedy with one point to come back to: the last `%`, which is enough since each `%` takes as little as it can.
LikePattern::Outcome LikePattern::match_general(std::string_view text) const {
  std::size_t t = 0, p = 0, any = std::string::npos, retry = 0;
  while (t < text.size()) {
    const char token = p < tokens_.size() ? tokens_[p] : '\0';
    if (p < tokens_.size() && token == kAny) {
      any = p++;
      retry = t;
    } else if (p < tokens_.size() && token == kOne) {
      t += code_point_size(text, t);
      ++p;
    } else if (p < tokens_.size() && token == kLone) {
      return Outcome::kLoneEscape;
    } else if (p < tokens_.size() && token == text[t]) {
      ++t;
      ++p;
    } else if (any != std::string::npos) {
      retry += code_point_size(text, retry);
      t = retry;
      p = any + 1;
    } else {
      return Outcome::kNoMatch;
    }
  }
  while (p < tokens_.size() && tokens_[p] == kAny) ++p;
  return p == tokens_.size() ? Outcome::kMatch : Outcome::kNoMatch;
}

}  // namespace weir::expr
