#pragma once

#include <algorithm>
#include <array>
#include <string>

namespace detent {

/// True for the name of an input that tells padding from content.
[[nodiscard]] inline bool is_called_mask(const std::string& name) {
  constexpr std::array<const char*, 3> kNames = {"attention_mask", "padding_mask", "input_mask"};
  return std::ranges::any_of(kNames, [&](const char* part) { return name.find(part) != std::string::npos; });
}

}  // namespace detent
