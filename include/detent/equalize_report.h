#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "detent/error_report.h"

namespace detent {

/// The equalization of a model before it was calibrated.
struct EqualizeReport {
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
  std::vector<Value> values;                            ///< those that are equalized and stored
  std::optional<double> sqnr_before_db, sqnr_after_db;  ///< at the outputs, on the samples that decided
  /// Under auto, where families were kept: the model as it will be written beside the model without equalization, on all
  /// calibration samples. Not accepted: nothing was kept in the end.
  std::optional<AcceptanceReport> acceptance;
  size_t samples = 0;
  double seconds = 0;
  std::vector<std::string> notes;
};

/// The correction of biases by the mean error that quantization leaves. SQNRs are at the outputs, in dB.
struct BiasCorrectionReport {
  size_t layers = 0;  ///< whose biases were corrected; 0: no INT8 layer has a bias of its own that could be
  std::optional<double> sqnr_before_db, sqnr_after_db;  ///< on the samples that decided; absent: nothing was measured
  bool kept = false;
  std::string reason;  ///< a clause: why not
  size_t samples = 0;  ///< that decided; 0: nothing was measured
  double seconds = 0;
};

}  // namespace detent
