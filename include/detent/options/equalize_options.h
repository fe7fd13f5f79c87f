#pragma once

#include <optional>
#include <string>

namespace detent {

/// Exact changes of the float network before it is calibrated, so that INT8 costs it less.
struct EqualizeOptions {
  /// "off", "auto", or a list of gate, relu, linear, norm, act, each with an exponent where wished: "gate,relu:0.75".
  /// Empty: off, but with a calibration table whatever the table was measured with.
  std::string equalize;
  /// Puts the mean error that quantization leaves into biases, layer by layer. Absent: with Accuracy::Best alone.
  std::optional<bool> bias_correction;
};

}  // namespace detent
