#pragma once

#include <algorithm>
#include <cmath>

#include "core/small_float.h"
#include "detent/base/qparams.h"

namespace detent {

/// The numbers that the codes of a weight stand for, in units of its scale. Zero points are 0.
class CodeGrid {
 public:
  /// The integers of `codes`.
  explicit CodeGrid(CodeRange codes) : codes_(codes) {}
  /// The numbers of Float8E4M3FN.
  [[nodiscard]] static CodeGrid e4m3() {
    CodeGrid grid({-static_cast<int32_t>(kLargestE4M3), static_cast<int32_t>(kLargestE4M3)});
    grid.floats_ = true;
    return grid;
  }

  /// Returns the number that QuantizeLinear makes of x with this scale: half to even, saturating. NaN -> 0.
  [[nodiscard]] float nearest(float x, float scale) const {
    if (!floats_) return static_cast<float>(quantize_element(x, scale, 0, codes_));
    const float quotient = x / scale;
    return !std::isnan(quotient) ? decode_e4m3(encode_e4m3(quotient)) : 0.0F;
  }

  /// Returns the largest number whose negative is on the grid too.
  [[nodiscard]] float largest() const { return static_cast<float>(std::min(-codes_.lowest, codes_.highest)); }
  /// Returns the grid without the number whose negative is not on it.
  [[nodiscard]] CodeGrid symmetric() const {
    CodeGrid grid = *this;
    grid.codes_.highest = static_cast<int32_t>(largest());
    grid.codes_.lowest = -grid.codes_.highest;
    return grid;
  }

  /// Returns a number a quarter of a step below largest(), which rounds to it.
  [[nodiscard]] float short_of_largest() const { return largest() - (floats_ ? kLastStepE4M3 : 1) * 0.25F; }

 private:
  static constexpr float kLastStepE4M3 = 32;  // 416, 448

  CodeRange codes_;
  bool floats_ = false;
};

}  // namespace detent
