#pragma once

#include <optional>
#include <string>

namespace detent {

/// Exact changes of the float network before calibration that lower the error of INT8.
struct EqualizeOptions {
  /// "off", "outliers", "auto", or a list of the families gate, relu, linear, norm, act, product, value, branch, each
  /// with an optional exponent: "gate,relu:0.75". Empty: off, or with a calibration table the equalization it was
  /// measured with; for quantize (Accuracy::Balanced), compare and sensitivity "outliers" where INT8 is chosen by data.
  std::string equalize;
  /// Adds the mean quantization error of each layer to its bias. Absent: only with Accuracy::Best.
  std::optional<bool> bias_correction;
};

}  // namespace detent
