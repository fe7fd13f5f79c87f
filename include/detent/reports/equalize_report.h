#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "detent/reports/error_report.h"

namespace detent {

/// Equalization of a model before calibration, measured on the samples that decided. It is kept where a family is.
struct EqualizeReport : MeasuredChange {
  std::string
      requested;  ///< "auto", "gate,relu" ...; followed by ", by the table" if the calibration table asked for it
  struct Family {
    std::string name;               ///< "gate"
    double alpha = 0.5;             ///< exponent of the activations' share
    size_t groups = 0, values = 0;  ///< that can be equalized
    bool kept = false;
    std::optional<double> gain_db;  ///< of the output SQNR, on top of the families kept before it; absent: not measured
    std::string reason;             ///< a clause: why a measured family was not kept
  };
  std::vector<Family> families;  ///< in a fixed order, including families without a group
  struct Value {
    std::string name, family;
    size_t channels = 0;
    double imbalance_before = 1, imbalance_after = 1;  ///< largest over median of the channels' amax; 0: not measured
  };
  std::vector<Value> values;  ///< that are equalized and stored
  /// Under auto, where families were kept: the model as written against the model without equalization, on all
  /// calibration samples. Not kept: no family is used.
  std::optional<AcceptanceReport> acceptance;
  std::vector<std::string> notes;
};

/// Correction of biases by the mean error of quantization.
struct BiasCorrectionReport : MeasuredChange {
  size_t layers = 0;  ///< whose biases were corrected; 0: no INT8 layer has a bias that can be
};

}  // namespace detent
