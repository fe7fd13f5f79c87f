#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "detent/error_report.h"

namespace detent {

/// The measurement by which the calibrator "auto" chose one of its candidates.
struct CalibratorMeasurement {
  struct Candidate {
    std::string calibrator;  ///< "percentile:99.9"
    double score_db = 0;     ///< mean over the float outputs of their SQNR, each within the resolution of a float
    ErrorReport error;       ///< against the float model
  };
  std::vector<Candidate> candidates;
  size_t winner = 0;  ///< index into candidates
  size_t samples = 0;
  double seconds = 0;
};

}  // namespace detent
