#pragma once

#include <optional>

#include "detent/base/tensor.h"
#include "detent/options/float_types.h"

namespace detent {

/// The x86 CPUs on which integer products of UINT8 activations and INT8 weights must be correct. CPUs without VNNI add
/// two products in 16 bits and saturate.
enum class Cpu {
  Any,  ///< all: weights are scaled so that no pair of products can saturate
  Vnni  ///< those with VNNI, and other architectures: weights use all codes
};

/// Representation of quantized tensors in the file. Absent members take the target's default.
struct FormatOptions {
  enum class WeightRange { Max, Mse };
  std::optional<bool> int8_weights;  ///< INT8 initializer + DequantizeLinear; false: FP32 initializer + pair
  WeightRange weight_range = WeightRange::Max;
  int weight_bits = 8;                 ///< 7 or 8
  bool per_tensor = false;             ///< one scale per weight tensor instead of one per output channel
  std::optional<DataType> activation;  ///< one of the integers of code_formats(); 16 bits: weights keep 8
  /// Products of float data and constant weights find the scale of their data at run time; other layers have pairs
  /// where there are data or a table, and stay float without. `activation` is absent then.
  bool dynamic = false;
  bool full_range = false;  ///< scale = 2*amax/256 (65536) instead of amax/127 (32767)
  std::optional<bool> int32_bias;
  std::optional<Cpu> cpu;               ///< absent: Any; only for targets whose products can saturate
  std::optional<FloatType> float_type;  ///< of what is not quantized
  IoType io = IoType::Keep;
};

}  // namespace detent
