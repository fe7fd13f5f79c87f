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
    double score_db = 0;     ///< half the mean of the samples' SQNRs, half the SQNR of their mean noise
    double regret_db = 0;    ///< how far its worst value lies below the best that any candidate does for that value
    ErrorReport error;       ///< against the float model, on the samples that it was measured on
  };
  std::vector<Candidate> candidates;  ///< that were measured: all, unless one sample takes long
  size_t winner = 0;                  ///< index into candidates
  size_t samples = 0;                 ///< of those measured longest
  double seconds = 0;
};

}  // namespace detent
