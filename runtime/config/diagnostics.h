#pragma once
#include <cstddef>
#include <memory>
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

  /// Masks `length` bytes of the raw text from `where` on wherever its line is shown: a secret written in the file. What is
  /// said about such a place from then on loses the quoted parts that are pieces of it.
  void hide(const Location& where, std::size_t length);
  /// Hides all places of a text that likely hold secrets (secret_places.h).
  void hide_secrets(const std::shared_ptr<const SourceText>& source);
  /// Shows what hide_secrets hid within the `length` bytes from `where` on, which are no secret after all.
  void reveal(const Location& where, std::size_t length);
  /// True if the place is within something hidden.
  bool hides(const Location& where) const;
  /// The text of a source with stars for all that is hidden; as long as the text.
  std::string shown(const SourceText& source) const;

  /// Says that the text at this place is a secret that is not in the file: a problem within it is shown without its text,
  /// which might hold a piece of it. (Whole secrets are masked everywhere, secrets.h.)
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
    bool is_guess;  ///< by hide_secrets
    bool operator==(const Hidden&) const = default;
  };
  static constexpr std::size_t kMost = 500;
  void add(Diagnostic diagnostic);
  std::string without_pieces(std::string text, const Location& where) const;
  std::string excerpt(const Location& where) const;
  std::string masked_line(const SourceText& source, int line) const;

  std::vector<Diagnostic> all_;
  std::vector<Hidden> hidden_;
  std::vector<Location> concealed_;
  std::size_t errors_ = 0;
};

}  // namespace weir
