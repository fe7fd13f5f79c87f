#pragma once

#include <string>

namespace detent {

/// What is done to a float network before it is calibrated, so that INT8 costs it less.
struct EqualizeOptions {
  /// "off", "auto", or a list of gate, relu, linear, norm, each with an exponent where wished: "gate,relu:0.75". Empty: off, but
  /// with a calibration table whatever the table was measured with.
  std::string equalize;
  /// "off", or "on": what channels never fall below goes from the bias before an activation into those behind it, where that
  /// does not cost accuracy. Empty as above.
  std::string absorb_bias;
  bool bias_correction = false;  ///< the mean error that quantization leaves goes into biases, layer by layer
};

}  // namespace detent
