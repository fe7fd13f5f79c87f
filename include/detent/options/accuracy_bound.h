#pragma once

#include <optional>

#include "detent/options/evaluation_options.h"

namespace detent {

/// Limit on what quantization may cost; at most one of the two.
struct AccuracyBound {
  std::optional<double>
      max_drop;  ///< largest loss of the score, as a fraction (0.01 is one point); of nats: largest rise
  std::optional<double> min_sqnr_db;  ///< smallest SQNR at every output
  EvaluationOptions evaluation;       ///< samples to judge on; by default for min_sqnr_db: the calibration data

  [[nodiscard]] bool given() const { return max_drop || min_sqnr_db; }
};

}  // namespace detent
