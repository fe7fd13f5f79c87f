#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "detent/reports/error_report.h"

namespace detent {

/// The equalization of a model before it was calibrated: kept where a family is. It was measured on the samples that
/// decided.
struct EqualizeReport : MeasuredChange {
  std::string requested;  ///< "auto", "gate,relu" ...; with ", by the table" where a calibration table said it
  struct Family {
    std::string name;               ///< "gate"
    double alpha = 0.5;             ///< exponent of the activations' share
    size_t groups = 0, values = 0;  ///< that can be equalized
    bool kept = false;
    std::optional<double> gain_db;  ///< of the output SQNR on top of the families kept before it, where it was measured
    std::string reason;             ///< a clause: why it was not kept, where it was measured
  };
  std::vector<Family> families;  ///< in a fixed order; those without a group too
  struct Value {
    std::string name, family;
    size_t channels = 0;
    double imbalance_before = 1, imbalance_after = 1;  ///< largest over median of the channels' amax; 0: not measured
  };
  std::vector<Value> values;  ///< those that are equalized and stored
  /// Under auto, where families were kept: the model as it will be written beside the model without equalization, on
  /// all calibration samples. Not kept: nothing was kept in the end.
  std::optional<AcceptanceReport> acceptance;
  std::vector<std::string> notes;
};

/// The correction of biases by the mean error that quantization leaves.
struct BiasCorrectionReport : MeasuredChange {
  size_t layers = 0;  ///< whose biases were corrected; 0: no INT8 layer has a bias of its own that could be
};

}  // namespace detent
