#pragma once

#include <string>

#include "detent/base/tensor.h"

namespace detent {

struct Tolerance {
  double rtol = 1e-3;
  double atol = 1e-5;  ///< of the largest expected magnitude, at least 1e-7
};

struct TensorComparison {
  bool same = true;
  std::string difference;           ///< in words; empty when same
  double worst_relative_error = 0;  ///< largest |a-b| / largest |expected|; 0 for integers
};

/// Compares types, shapes and elements. Floats pass when |got - expected| <= max(atol * max|expected|, 1e-7) + rtol *
/// |expected|; NaN matches NaN, infinities those of the same sign. Integers and bools must be equal. Sequences are
/// compared element by element; absent optionals (empty handles) are equal.
[[nodiscard]] TensorComparison compare_tensors(const Tensor& expected, const Tensor& got, const Tolerance& tolerance);

}  // namespace detent
