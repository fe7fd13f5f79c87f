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

/// The answer whether INT8 is likely to be faster than FP16 with TensorRT, from counts; never a promise.
struct SpeedOutlook {
  std::string verdict = {};     ///< "likely", "doubtful", or "none": no layer runs in INT8
  std::string text = {};        ///< "INT8 likely beats FP16: 99.6 % of MACs in INT8, 1 quantizer alone"
  double int8_share = 0;        ///< of MACs, or of weighted layers where sizes are open; in [0, 1]
  size_t quantizers = 0;        ///< layers by themselves
  size_t shortcuts = 0;         ///< of them those whose reason is a shortcut without a pair
  size_t float_islands = 0;     ///< float nodes between INT8 layers, each with a reformat at most
  size_t concat_copies = 0;     ///< codes that are copied into the joint tensor of a Concat
  size_t attention_blocks = 0;  ///< with a Softmax whose product with the values stays float
  int64_t border_bytes = 0;     ///< that the quantizers alone read and write, FP16 and INT8; 0 where sizes are open
};

}  // namespace detent
