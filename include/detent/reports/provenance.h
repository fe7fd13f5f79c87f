#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace detent {

/// Origin of a model, in its metadata. It has no dates or paths, so the same inputs give the same bytes.
struct Provenance {
  std::string producer;       ///< "detent 0.1.0"
  std::string target;         ///< "tensorrt:10.13"
  std::string calibrator;     ///< of the ranges; for "auto" the candidate it chose
  std::string ranges;         ///< fingerprint of the values' names and ranges, 32 hexadecimal digits
  size_t samples = 0;         ///< of the calibration; 0: imported scales
  std::string sample_digest;  ///< of the samples' names and contents in any order; empty without samples
  /// Options that differ from the target's defaults and affect this file: "concat=inputs; accuracy=best"; may be empty.
  std::string options;
  std::string source_producer;  ///< of the float model: "pytorch 2.1"; empty: none
  /// Nodes left float on purpose, by name, with the reason: the user's choice, a bound, or measured samples (R13, R15).
  std::map<std::string, std::string> float_layers;
};

}  // namespace detent
