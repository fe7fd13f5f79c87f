#pragma once

#include <string>
#include <vector>

#include "detent/base/error.h"

namespace detent {

/// Checks the targets of an option, which are spelled as users do.
/// Errors  Usage for none, for one that is named twice under any spelling, and those of find_target().
void check_targets(const std::string& option, const std::vector<std::string>& targets);

/// Returns the error with the target in front of its text, where options are to blame and not files.
[[nodiscard]] Error named_by_target(const Error& error, const std::string& target);

/// Returns work(). Its errors name the target as named_by_target() says.
template <typename Work>
auto naming_target(const std::string& target, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    throw named_by_target(error, target);
  }
}

}  // namespace detent
