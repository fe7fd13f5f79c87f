#pragma once

#include <optional>
#include <string>
#include <vector>

namespace detent {

/// A look at the float model on its data: do they reach it as it wants them, as far as its answers tell?
struct InputCheckReport {
  enum class Verdict { Good, Doubtful, Wrong };
  Verdict verdict = Verdict::Good;
  std::vector<std::string> reasons;  ///< in words; why it is good, too
  std::string command;               ///< that quantizes with the cure, or with the data as given; to be copied
};
[[nodiscard]] constexpr const char* name_of(InputCheckReport::Verdict verdict) {
  using V = InputCheckReport::Verdict;
  return verdict == V::Good ? "good" : verdict == V::Doubtful ? "doubtful" : "wrong";
}

}  // namespace detent
