#include "rewrite/format_options.h"

#include <string>

#include "detent/base/error.h"

namespace detent {

namespace {

/// Refuses FP8 for an engine without it, and options of integer grids with FP8.
void check_fp8(const FormatOptions& format, const Target& target) {
  if (!target.fp8)
    throw Error(ErrorCode::InvalidOption, target.spec() + " has no FP8: " + std::string(target.fp8_refusal),
                "--target tensorrt:10.13 or tensorrt:11; at optimization level basic ONNX Runtime computes their "
                "files in float");
  const auto refuse = [](bool given, const std::string& option) {
    if (given)
      throw Error(ErrorCode::InvalidOption, option + " is for INT8: FP8 codes are floats with one scale, amax / 448",
                  "leave " + option + " away, or --type fp8");
  };
  refuse(format.uint8_activations.has_value(), "--activation");
  refuse(format.full_range, "--range full");
  refuse(format.weight_bits != 8, "--weight-bits 7");
  refuse(format.weight_range != FormatOptions::WeightRange::Max, "--weight-range mse");
}

/// Returns how weights avoid saturation. ONNX Runtime converts INT8 activations to UINT8 on x86.
RewriteOptions::Saturation saturation_of(const FormatOptions& format, const RewriteOptions& options,
                                         const Target& target) {
  if (!target.saturates_without_vnni) {
    if (format.cpu)
      throw Error(ErrorCode::InvalidOption,
                  "--cpu does not apply to " + target.spec() + ": its integer products are exact",
                  "leave --cpu away, or give --target onnxruntime");
    return RewriteOptions::Saturation::None;
  }
  if (options.activation.type == DataType::Float8E4M3FN) return RewriteOptions::Saturation::None;
  return format.cpu == Cpu::Vnni ? RewriteOptions::Saturation::Accepted : RewriteOptions::Saturation::Avoided;
}

}  // namespace

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
  if (placement.type == CodeType::Fp8) check_fp8(format, target);
  if (placement.type == CodeType::Fp8) options.activation.type = DataType::Float8E4M3FN;
  options.activation.full_range = format.full_range;
  options.weight_bits = format.weight_bits;
  options.weight_range = format.weight_range == FormatOptions::WeightRange::Mse ? WeightRange::Mse : WeightRange::Max;
  options.per_tensor_weights = format.per_tensor;
  options.int8_weights = format.int8_weights.value_or(target.int8_weight_initializer);
  options.half_scales = placement.scales == PlacementOptions::Scales::Fp16;
  options.saturation = saturation_of(format, options, target);
  options.int32_bias = format.int32_bias.value_or(target.int32_bias);
  if (options.int32_bias && target.engine == Engine::TensorRT)
    throw Error(ErrorCode::InvalidOption, target.spec() + " takes float biases only: it has no INT32 DequantizeLinear");
  return options;
}

PlacementOptions placement_with(const RewriteOptions& format, PlacementOptions placement, const Target& target) {
  placement.int8_activations = target.activation.type == DataType::UInt8 && format.activation.type == DataType::Int8;
  return placement;
}

}  // namespace detent
