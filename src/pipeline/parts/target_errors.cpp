#include "pipeline/parts/target_errors.h"

#include <map>

#include "place/engines/target.h"

namespace detent {

void check_targets(const std::string& option, const std::vector<std::string>& targets) {
  if (targets.empty()) throw Error(ErrorCode::Usage, option + " names no target");
  std::map<std::string, std::string> spelled;
  for (const std::string& target : targets) {
    const auto [known, added] = spelled.emplace(find_target(target).spec(), target);
    if (added) continue;
    throw Error(ErrorCode::Usage, known->second == target
                                      ? option + " names " + target + " twice"
                                      : option + ": " + known->second + " and " + target + " are the same target");
  }
}

Error named_by_target(const Error& error, const std::string& target) {
  const ErrorCode code = error.code();
  const bool of_options =
      code == ErrorCode::Usage || code == ErrorCode::InvalidOption || code == ErrorCode::TableMismatch;
  return of_options ? error.in("target " + target) : error;
}

}  // namespace detent
