#pragma once

#include <cstddef>

namespace detent {

/// The correction of biases by the mean error that quantization leaves. SQNRs are at the outputs, in dB.
struct BiasCorrectionReport {
  size_t layers = 0;  ///< whose biases were corrected
  double sqnr_before_db = 0, sqnr_after_db = 0;
  bool kept = false;
  size_t samples = 0;
  double seconds = 0;
};

}  // namespace detent
