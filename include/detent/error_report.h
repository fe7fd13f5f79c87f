#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace detent {

/// Error of one model's outputs against another's. SQNRs are in dB, infinite where the outputs are equal.
struct ErrorReport {
  size_t samples = 0;
  double sqnr_db = 0;                      ///< mean over float outputs of their SQNR
  double cosine = 0;                       ///< mean over float outputs
  std::optional<double> argmax_agreement;  ///< fraction; outputs with two or more channels
  std::optional<double> sign_agreement;    ///< fraction; outputs with one channel
  struct Output {
    std::string name;
    double sqnr_db = 0, cosine = 0;
  };
  std::vector<Output> outputs;
};

/// The error that one quantized value's own pair makes, everything else being float.
struct LocalError {
  std::string value;
  double sqnr_db = 0;  ///< of the value after its own pair against the value itself, in the float network
};

}  // namespace detent
