#pragma once

#include <optional>

#include "detent/evaluation_options.h"

namespace detent {

/// How much quantization may cost. At most one of the two.
struct AccuracyBound {
  std::optional<double> max_drop;     ///< of the score, absolute, as a fraction: 0.01 is one point
  std::optional<double> min_sqnr_db;  ///< at the outputs
  EvaluationOptions evaluation;       ///< samples of both; for min_sqnr_db the calibration data by default

  [[nodiscard]] bool given() const { return max_drop || min_sqnr_db; }
};

}  // namespace detent
