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

}  // namespace detent
