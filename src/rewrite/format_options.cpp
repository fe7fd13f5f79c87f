#include "rewrite/format_options.h"

#include <string>

#include "detent/error.h"

namespace detent {

RewriteOptions rewrite_options(const FormatOptions& format, const PlacementOptions& placement, const Target& target) {
  RewriteOptions options;
  options.activation = target.activation;
  if (format.uint8_activations) {
    const DataType wanted = *format.uint8_activations ? DataType::UInt8 : DataType::Int8;
    if (target.activation_type_fixed && wanted != target.activation.type)
      throw Error(ErrorCode::InvalidOption,
                  target.spec() + " takes " + std::string(name_of(target.activation.type)) + " activations only");
    options.activation.type = wanted;
  }
  options.activation.full_range = format.full_range;
  options.weight_bits = format.weight_bits;
  options.weight_range = format.weight_range == FormatOptions::WeightRange::Mse ? WeightRange::Mse : WeightRange::Max;
  options.per_tensor_weights = format.per_tensor;
  options.int8_weights = format.int8_weights.value_or(target.int8_weight_initializer);
  options.half_scales = placement.scales == PlacementOptions::Scales::Fp16;
  options.int32_bias = format.int32_bias.value_or(target.int32_bias);
  if (options.int32_bias && target.engine == Engine::TensorRT)
    throw Error(ErrorCode::InvalidOption, target.spec() + " takes float biases only: it has no INT32 DequantizeLinear");
  return options;
}

}  // namespace detent
