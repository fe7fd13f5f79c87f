#pragma once

#include <cstddef>
#include <string>

namespace detent {

/// The quantization of a file whose other nodes were cast to a 16-bit type. Codes and zero points keep every bit.
struct KeptPairs {
  size_t quantizers = 0, dequantizers = 0;  ///< QuantizeLinear and DequantizeLinear nodes of the written file
  size_t code_constants = 0;                ///< initializers of codes that a DequantizeLinear reads
  size_t stored_codes = 0;                  ///< of these, constants that the file quantized when it ran
  std::string scale_type;                   ///< "float16", "bfloat16" or "float32"
  size_t scales = 0;                        ///< numbers, over all constants of scales
  size_t rounded_scales = 0;                ///< numbers that the 16-bit type does not hold exactly
  double largest_change = 0;                ///< of a rounded scale, as a fraction of it; without `small_scales`
  /// Rounded numbers that change by more, beside which the largest scale of the same tensor changes by more still.
  size_t small_scales = 0;
  size_t float32_scales = 0;  ///< numbers that stay FP32: all, or those that rounding would change too much
};

}  // namespace detent
