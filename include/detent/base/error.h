#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "detent/base/api.h"

namespace detent {

/// The kind of failure. The numbers are the program's exit codes.
enum class ErrorCode : int {
  CheckFailed = 1,     ///< a check or bound that the user asked for does not hold
  Usage = 2,           ///< options that are malformed or contradict each other
  InvalidModel = 10,   ///< model unreadable, invalid or already quantized
  Unsupported = 11,    ///< operator, attribute or type that cannot run
  InvalidData = 12,    ///< data unreadable or not fitting the model
  InvalidOption = 13,  ///< option value that makes no sense for this model
  TableMismatch = 14,  ///< calibration table of another model, or lacking a needed value
  CannotWrite = 15,    ///< output cannot be written
  Internal = 20,       ///< a bug in Detent
  Interrupted = 130,   ///< Ctrl-C, or RunSettings::stop
};

/// The one exception type. `what()` is a sentence for the person at the terminal: it names the file, node and operator
/// concerned and what was expected; `hint()` is the way out and may be empty.
class DETENT_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string hint = {})
      : std::runtime_error(message), code_(code), hint_(std::move(hint)) {}

  [[nodiscard]] ErrorCode code() const { return code_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }

  /// The same error with `where` and ": " in front: called where a file or node name is known and the thrower had none.
  [[nodiscard]] Error in(std::string_view where) const { return {code_, std::string(where) + ": " + what(), hint_}; }

 private:
  ErrorCode code_;
  std::string hint_;
};

}  // namespace detent
