#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace detent {

/// What a model that `quantize` wrote says of itself. No dates and no paths: the same inputs give the same bytes.
struct Provenance {
  std::string producer;       ///< "detent 0.1.0"
  std::string target;         ///< "tensorrt:10.13"
  std::string calibrator;     ///< that gave the ranges: what `auto` took, not "auto"
  std::string ranges;         ///< fingerprint of the values' names and ranges, 32 hexadecimal digits
  size_t samples = 0;         ///< calibrated with; 0: imported scales
  std::string sample_digest;  ///< of the samples' names and contents, in no order; empty without samples
  /// That differ from the target's defaults and hold for this file: "concat=inputs; accuracy=best"; may be empty.
  std::string options;
  std::string source_producer;  ///< what the float model said: "pytorch 2.1"; empty: nothing
  /// Layers with weights that were left float on purpose, by node: the user's choice, a bound, or what samples showed
  /// (R15), in words.
  std::map<std::string, std::string> float_layers;
};

}  // namespace detent
