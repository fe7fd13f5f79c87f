#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "place/engines/target.h"

namespace detent {

/// Returns the target whose facts stand for a version that is not in the list: the nearest older version, or the
/// oldest one for the versions just below it that the engine's range names. "tensorrt:jetpack6" is the version that
/// this JetPack ships. nullptr for a spec that is no version within the range. Source  of JetPack: NVIDIA's pages of
/// JetPack 5.1, 6.2 and 7.0
[[nodiscard]] const Target* nearest_target(std::string_view spec);

/// Returns "tensorrt:10.3 is not in the list of targets: the facts of tensorrt:10.0, the nearest older version, hold";
/// empty where the spec names a target of the list.
[[nodiscard]] std::string target_note(std::string_view spec);

/// Returns the nearest newer version of the target's engine that suits; nullptr: none does.
[[nodiscard]] const Target* nearest_newer(const Target& target, const std::function<bool(const Target&)>& suits);

/// Refuses a version whose runtime has no codes of 4 bits.
/// cure    what the user may do otherwise, for the hint
/// Errors  InvalidOption, with the nearest version that takes them.
void check_takes_4bit_codes(const Target& target, const std::string& cure);

}  // namespace detent
