#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "detent/base/api.h"

namespace detent {

/// Kind of failure. The numbers are the program's exit codes.
enum class ErrorCode : int {
  CheckFailed = 1,     ///< a check or bound that the user asked for does not hold
  Usage = 2,           ///< options that are malformed or contradict each other
  InvalidModel = 10,   ///< model unreadable, invalid or already quantized
  Unsupported = 11,    ///< operator, attribute or type that cannot run
  InvalidData = 12,    ///< data that is unreadable or does not fit the model
  InvalidOption = 13,  ///< option value that is invalid for this model
  TableMismatch = 14,  ///< calibration table of another model, or one that lacks a needed value
  CannotWrite = 15,    ///< output cannot be written
  Internal = 20,       ///< a bug in Detent
  Interrupted = 130,   ///< Ctrl-C, or RunSettings::stop
};

/// The only exception type. `what()` is a sentence for the user that names the file, node and operator and what was
/// expected; `hint()` says what to do and may be empty.
class DETENT_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string hint = {})
      : std::runtime_error(message), code_(code), hint_(std::move(hint)) {}

  [[nodiscard]] ErrorCode code() const { return code_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }

  /// Returns the same error with `where` and ": " in front, to add a file or node name that the thrower did not know.
  [[nodiscard]] Error in(std::string_view where) const { return {code_, std::string(where) + ": " + what(), hint_}; }

 private:
  ErrorCode code_;
  std::string hint_;
};

}  // namespace detent
