#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "detent/base/progress.h"

namespace detent {

/// Summation of products of UINT8 activations and INT8 weights.
enum class CpuProducts {
  Exact,  ///< in 32 bits, as CPUs with VNNI do
  /// Sums as ONNX Runtime on x86 CPUs with AVX2 or AVX-512 but not VNNI: two neighbouring products are added in 16 bits
  /// with saturation, and outputs are rounded like its integer kernels.
  Avx2
};

/// Settings for work over many samples. Results depend only on `products`, `judged_outputs` and `detections`.
struct RunSettings {
  size_t threads = 0;          ///< 0: all cores
  bool skip_bad_data = false;  ///< count and skip unreadable samples instead of stopping
  CpuProducts products = CpuProducts::Exact;
  Reporter* reporter = &Reporter::silent();
  /// Seconds after which a search ends with the best result so far, and a table with the samples so far; 0: no limit.
  /// quantize, compare, sensitivity and compare-types have it.
  double time_limit = 0;
  /// Stops this call within about a second with ErrorCode::Interrupted; calls in other threads go on.
  std::stop_token stop = {};
  /// Outputs, by name, at which errors and scores are measured: by them alone quantized models are compared, bounded
  /// and judged. Empty: all. A name that the model does not have is ErrorCode::InvalidOption.
  std::vector<std::string> judged_outputs = {};
  /// Form of a detector's outputs: "" or "auto" (by the graph), "none" (no detector), "xyxy-score-class",
  /// "cxcywh-scores", "boxes+logits" or "boxes+scores+labels". Another one, and one that no output has, is
  /// ErrorCode::InvalidOption.
  std::string detections = {};
};

}  // namespace detent
