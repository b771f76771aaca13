#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "runtime/config/source_text.h"

namespace weir {

enum class Severity { kError, kWarning };

/// One problem of a pipeline file.
struct Diagnostic {
  Severity severity = Severity::kError;
  Location location;
  std::string text;  ///< what is wrong; one line, lower case, no full stop, the values in it as written in the file
  std::string hint;  ///< what to do; may be empty
};

/// Collects all problems of a pipeline file, so that the user sees them at once. Not thread-safe.
class Diagnostics {
 public:
  /// Adds a problem. A second one with the same text at the same place is dropped.
  void error(const Location& where, std::string text, std::string hint = {});
  void warning(const Location& where, std::string text, std::string hint = {});

  /// Masks `length` bytes of the raw text from `where` on wherever its line is shown: a secret written in the file.
  void hide(const Location& where, std::size_t length);

  /// Says that the text at this place is a secret that is not in the file: a problem within it is shown without its text, which might
  /// hold a piece of it. (Whole secrets are masked everywhere, secrets.h.)
  void conceal(const Location& where);

  /// True if so many problems were found that more are not kept: a reader may stop looking.
  bool full() const { return all_.size() >= kMost; }
  bool has_errors() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }
  bool empty() const { return all_.empty(); }
  /// All, by source (in the order in which sources first had a problem) and position.
  std::vector<Diagnostic> sorted() const;
  /// All as shown to the user: for each
  ///
  ///     pipeline.yaml:7:12: error: unknown key 'topik'
  ///        7 |     topik: bids
  ///          |     ^
  ///       hint: did you mean topic?
  std::string format(bool color = false) const;

 private:
  struct Hidden {
    const SourceText* source;
    std::size_t begin, end;
  };
  static constexpr std::size_t kMost = 500;
  void add(Diagnostic diagnostic);
  std::string excerpt(const Location& where) const;
  std::string masked_line(const SourceText& source, int line) const;

  std::vector<Diagnostic> all_;
  std::vector<Hidden> hidden_;
  std::vector<Location> concealed_;
  std::size_t errors_ = 0;
};

}  // namespace weir
