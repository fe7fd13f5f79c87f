#pragma once

#include <array>
#include <cmath>

namespace detent {

/// The finite magnitudes of float8e4m3fn, ascending from 0: eight subnormal ones 2^-9 apart, then eight for each power of two
/// from 2^-6 to 2^8, but for 480, whose place NaN has. Source: "FP8 Formats for Deep Learning" (Micikevicius et al. 2022).
[[nodiscard]] inline const std::array<double, 127>& e4m3_magnitudes() {
  static const std::array<double, 127> magnitudes = [] {
    std::array<double, 127> all{};
    for (int code = 0; code < 127; ++code)
      all[static_cast<size_t>(code)] = code < 8 ? std::ldexp(code, -9) : std::ldexp(8 + code % 8, code / 8 - 10);
    return all;
  }();
  return magnitudes;
}

}  // namespace detent
