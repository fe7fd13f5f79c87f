#pragma once

#include <optional>

#include "detent/float_types.h"

namespace detent {

/// How quantized tensors are represented in the file. Empty optionals take the target's default.
struct FormatOptions {
  enum class WeightRange { Max, Mse };
  std::optional<bool> int8_weights;  ///< INT8 initializer + DequantizeLinear; false: FP32 initializer + full pair
  WeightRange weight_range = WeightRange::Max;
  int weight_bits = 8;      ///< 7 or 8
  bool per_tensor = false;  ///< one scale per weight tensor instead of one per output channel
  std::optional<bool> uint8_activations;
  bool full_range = false;  ///< scale = 2*amax/256 instead of amax/127
  std::optional<bool> int32_bias;
  std::optional<FloatType> float_type;  ///< of what is not quantized
  IoType io = IoType::Keep;
};

}  // namespace detent
