#include "rewrite/format_options.h"

#include <string>
#include <utility>

#include "detent/base/error.h"

namespace detent {

namespace {

/// Refuses FP8 for an engine without it, and options of integer grids with FP8.
void check_fp8(const FormatOptions& format, const PlacementRequest& placement, const Target& target) {
  if (!target.takes_fp8())
    throw Error(ErrorCode::InvalidOption, target.spec() + " has no FP8: " + std::string(target.fp8_refusal),
                "--target tensorrt:10.13 or tensorrt:11; at optimization level basic ONNX Runtime computes their "
                "files in float");
  const auto refuse = [](bool given, const std::string& option) {
    if (given)
      throw Error(ErrorCode::InvalidOption, option + " is for INT8: FP8 codes are floats with one scale, amax / 448",
                  "leave " + option + " away, or --type fp8");
  };
  refuse(format.activation.has_value() || format.dynamic, "--activation");
  refuse(format.full_range, "--format range=full");
  refuse(format.weight_bits != 8, "--format weight-bits=7");
  refuse(format.weight_range != FormatOptions::WeightRange::Max, "--format weight-range=mse");
  refuse(!placement.wide_values.empty(), "--override with \"bits\": 16");
}

/// Refuses attention in a type of codes other than the file's.
void check_attention(const PlacementRequest& placement) {
  const bool fp8 = placement.type == CodeType::Fp8;
  if (placement.attention == (fp8 ? PlacementOptions::Attention::Int8 : PlacementOptions::Attention::Fp8))
    throw Error(ErrorCode::InvalidOption,
                std::string("--policy attention=") + (fp8 ? "int8 with --type fp8" : "fp8 with --type int8") +
                    ": trtexec builds no engine of INT8 and FP8",
                std::string(attention_option(placement)) + (fp8 ? ", or --type int8" : ", or --type fp8"));
}

/// Returns how weights avoid saturation. ONNX Runtime converts INT8 activations to UINT8 on x86.
RewriteOptions::Saturation saturation_of(const FormatOptions& format, const RewriteOptions& options,
                                         const Target& target) {
  if (!target.saturates_without_vnni) {
    if (format.cpu)
      throw Error(ErrorCode::InvalidOption,
                  "--cpu does not apply to " + target.spec() + ": its integer products are exact",
                  "leave --cpu away, or give --target onnxruntime or openvino:cpu");
    return RewriteOptions::Saturation::None;
  }
  // FP8 and 16-bit activations have no integer kernels there.
  const RangeKind kind = options.range_kind();
  if (kind != RangeKind::Symmetric && kind != RangeKind::Asymmetric) return RewriteOptions::Saturation::None;
  return format.cpu == Cpu::Vnni ? RewriteOptions::Saturation::Accepted : RewriteOptions::Saturation::Avoided;
}

/// Refuses a type of activations that the target does not take.
void check_activation(DataType type, const Target& target) {
  if (target.find_activation(type)) return;
  throw Error(ErrorCode::InvalidOption,
              target.spec() + " takes " + target.activation_names() + " activations only, not " +
                  std::string(name_of(type)) + ": " + std::string(target.other_types),
              "leave --activation and \"bits\" away, or give a target that takes the type");
}

/// Refuses scales at run time where the engine has no kernels for them, and options of pairs beside them.
void check_dynamic(const FormatOptions& format, const PlacementRequest& placement, const Target& target) {
  if (!format.dynamic) return;
  if (!target.engine.runs_qoperators)
    throw Error(ErrorCode::InvalidOption,
                target.spec() + " finds no scales at run time: it has no kernels for MatMulInteger",
                "--target onnxruntime, or leave --activation dynamic away");
  const auto refuse = [](bool given, const std::string& option, const std::string& why) {
    if (given)
      throw Error(ErrorCode::InvalidOption, option + " does not go with --activation dynamic: " + why,
                  "remove one of the two");
  };
  using P = PlacementOptions;
  refuse(format.float_type.value_or(FloatType::Fp32) != FloatType::Fp32, "--float-type",
         "DynamicQuantizeLinear reads FP32 alone");
  refuse(format.int8_weights == false, "--format weights=fp32", "MatMulInteger reads INT8 weights");
  refuse(format.int32_bias == true, "--format bias=int32", "the scale of an INT32 bias is not known in advance");
  refuse(!placement.wide_values.empty(), "--override with \"bits\": 16", "its codes have 8 bits");
  refuse(placement.quantize_outputs, "--policy quantize-outputs=on", "products write floats");
  refuse(placement.attention == P::Attention::Int8, "--policy attention=int8",
         "products of two activations stay float");
}

/// Refuses a 16-bit file for a target that takes FP32 and chooses the types itself, or that runs no floats.
void check_float_type(const FormatOptions& format, const Target& target) {
  if (format.float_type.value_or(FloatType::Fp32) == FloatType::Fp32) return;
  if (target.engine.whole_graph)
    throw Error(ErrorCode::InvalidOption, target.spec() + " runs no floats: every value has codes",
                "leave --float-type away");
  if (!target.engine.takes_pairs)
    throw Error(ErrorCode::InvalidOption, target.spec() + " takes the FP32 model, and TensorRT casts what is not INT8",
                "leave --float-type away");
  if (*format.float_type == FloatType::Bf16 && !target.engine.beside_bf16->empty())
    throw Error(ErrorCode::InvalidOption,
                target.spec() + " has no INT8 layers beside BF16 values: " + std::string(*target.engine.beside_bf16),
                "--float-type fp32; the plugin computes floats in BF16 by itself where the CPU has it");
}

bool has_wide_codes(const RewriteOptions& format, const PlacementRequest& placement) {
  return code_format(format.activation.type).bits == 16 || !placement.wide_values.empty();
}

}  // namespace

RewriteOptions rewrite_options(const FormatOptions& format, const PlacementRequest& placement, const Target& target) {
  RewriteOptions options;
  options.activation = target.activation;
  if (placement.type == CodeType::Fp8) check_fp8(format, placement, target);
  check_attention(placement);
  check_dynamic(format, placement, target);
  options.activation.type = format.activation.value_or(target.activation->type);
  check_activation(options.activation.type, target);
  check_float_type(format, target);
  if (!placement.wide_values.empty()) check_activation(code_format(options.activation.type).wide, target);
  if (placement.type == CodeType::Fp8) options.activation.type = DataType::Float8E4M3FN;
  options.activation.full_range = format.full_range;
  options.weight_bits = format.weight_bits;
  options.weight_range = format.weight_range == FormatOptions::WeightRange::Mse ? WeightRange::Mse : WeightRange::Max;
  options.narrow_weights = target.engine.narrow_weights;
  options.off_middle = target.engine.rescales_middle;
  options.pairs_taps_apart = target.pairs_taps_apart;
  options.per_tensor_weights = format.per_tensor;
  options.uint8_single_scales =
      target.engine.uint8_single_scales && placement.type != CodeType::Fp8 && options.activation.type != DataType::Int8;
  options.int8_weights = format.int8_weights.value_or(target.int8_weight_initializer);
  // A step of 65535 is smaller than most FP16 numbers can say.
  options.half_scales = placement.scales == PlacementOptions::Scales::Fp16 && !target.engine.float32_scales &&
                        !has_wide_codes(options, placement);
  options.saturation = saturation_of(format, options, target);
  options.int32_bias = format.int32_bias.value_or(target.int32_bias());
  if (options.int32_bias && target.engine.biases == BiasTypes::FloatOnly)
    throw Error(ErrorCode::InvalidOption,
                target.spec() + " takes float biases only: " +
                    (target.engine.takes_pairs ? "it has no INT32 DequantizeLinear" : "its file is the float model"));
  return options;
}

bool may_be_dynamic(const FormatOptions& format, const PlacementRequest& placement, const Target& target) {
  if (format.activation || format.dynamic || !target.engine.runs_qoperators) return false;
  FormatOptions other = format;
  other.dynamic = true;
  try {
    static_cast<void>(rewrite_options(other, placement, target));
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidOption) throw;
    return false;
  }
}

PlacementRequest placement_with(const RewriteOptions& format, PlacementRequest placement, const Target& target) {
  placement = with_activation(std::move(placement), format.activation.type, target);
  if (has_wide_codes(format, placement)) placement.scales = PlacementOptions::Scales::Fp32;
  return placement;
}

std::string wide_codes_warning(const RewriteOptions& format, const PlacementRequest& placement, const Target& target) {
  if (!has_wide_codes(format, placement)) return "";
  const ActivationType* type = target.find_activation(code_format(format.activation.type).wide);
  if (!type || type->without_kernels.empty()) return "";
  return std::string(name_of(type->type)) + " activations on " + target.spec() + ": " +
         std::string(type->without_kernels);
}

}  // namespace detent
