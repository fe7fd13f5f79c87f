#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace detent {

/// A QuantizeLinear or DequantizeLinear that TensorRT runs as a layer by itself.
struct StandaloneQuantizer {
  std::string node, reason;
  bool shortcut = false;  ///< the reason is an Add whose shortcut has no pair
};

/// Counts that decide how fast INT8 is with TensorRT. They predict nothing: PlanReport::forecasts do.
struct SpeedOutlook {
  /// "none": no layer runs in INT8, so that it cannot beat FP16. "likely", "doubtful": what the forecasts tell.
  /// "unknown": there are none.
  std::string verdict = {};
  std::string text = {};        ///< "99.6 % of MACs in INT8, 1 quantizer stands alone"
  double int8_share = 0;        ///< of MACs, or of weighted layers where sizes are open; in [0, 1]
  size_t quantizers = 0;        ///< layers by themselves
  size_t shortcuts = 0;         ///< of them those whose reason is a shortcut without a pair
  size_t float_islands = 0;     ///< float nodes between INT8 layers, each with a reformat at most
  size_t concat_copies = 0;     ///< codes that are copied into the joint tensor of a Concat
  size_t attention_blocks = 0;  ///< with a Softmax whose product with the values stays float
  int64_t border_bytes = 0;     ///< that the quantizers alone read and write, FP16 and INT8; 0 where sizes are open
};

}  // namespace detent
