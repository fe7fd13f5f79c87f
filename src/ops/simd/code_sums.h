#pragma once

#include <span>

#include "detent/base/qparams.h"

namespace detent {

/// Sums over weights w with codes q = round(w / scale), clamped to a range. Codes are those of quantize_element() with
/// zero point 0, as long as |w / scale| stays below 2^22. A sum adds up in 16 doubles in turn: it is the same on every
/// machine. Empty weights -> 0.
struct CodeSums {
  double products = 0;  ///< of q w
  double squares = 0;   ///< of q^2
};
[[nodiscard]] CodeSums sums_of_codes(std::span<const float> weights, float scale, CodeRange codes);

/// Returns the sum of (q scale - w)^2, of differences that are rounded to float.
[[nodiscard]] double squared_code_error(std::span<const float> weights, float scale, CodeRange codes);

}  // namespace detent
