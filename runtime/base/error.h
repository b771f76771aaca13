#pragma once
#include <exception>
#include <string>
#include <utility>

namespace weir {

/// Whose doing a failure is. Decides the exit code and whether the job is restarted.
enum class Blame {
  kUser,         ///< The file, the command line, missing rights: exit 2 before a start, 3 after; never restarted.
  kData,         ///< A record or row that cannot be processed under `on_error: fail`: exit 3; never restarted.
  kEnvironment,  ///< Broker, disk, network: the job restarts from its last committed checkpoint, with back-off.
  kRefused,      ///< A start that would lose or double data (marker, offsets, state): exit 3; never restarted.
  kFenced,       ///< Another instance of the job took over: exit 4; never restarted.
  kBug,          ///< A promise inside weir is broken: exit 1.
};

/// What ends a job or a command. Thrown anywhere, caught in one place (the job, or the program's main).
///
/// The text says what happened, where, with which values (at the end) and what to do. It never holds a secret.
/// Failures that something reacts to in particular.
enum class ErrorCode {
  kGeneral,
  kTransactionTimeout,  ///< our own transaction was aborted by the broker: the next attempt doubles its timeout
};

class Error : public std::exception {
 public:
  Error(Blame blame, std::string text, ErrorCode code = ErrorCode::kGeneral)
      : blame_(blame), code_(code), text_(std::move(text)) {}

  const char* what() const noexcept override { return text_.c_str(); }
  const std::string& text() const { return text_; }
  Blame blame() const { return blame_; }
  ErrorCode code() const { return code_; }
  /// True if the same attempt may succeed later without anybody changing anything.
  bool retriable() const { return blame_ == Blame::kEnvironment; }

 private:
  Blame blame_;
  ErrorCode code_;
  std::string text_;
};

}  // namespace weir
