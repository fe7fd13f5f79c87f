#pragma once

#include <span>
#include <string_view>

#include "place/engines/target.h"

namespace detent {

/// Returns what ONNX Runtime Web is with an execution provider that has neither integer kernels nor packed products;
/// one that has them says so.
constexpr EngineDef browser_engine(Engine id, std::string_view title, std::string_view family, std::string_view page,
                                   std::span<const Target> (*targets)(), std::span<const Rule* const> rules) {
  return {
      .id = id,
      .name = "web",
      .title = title,
      .family = family,
      .page = page,
      .targets = targets,
      .rules = rules,
      .other_engine = "onnxruntime",
      .minimum_opset = 13,
      .newest_opset = 0,
      .takes_pairs = true,
      .whole_graph = false,
      .closes_outputs = false,
      .pairs_beside_foreign = true,
      .biases = BiasTypes::FloatOnly,
      .narrow_weights = false,
      .rescales_middle = false,
      .channel_scales_of_products = true,
      .uint8_single_scales = false,
      .blocks_divide_rows = false,
      .shortens_blocks = false,
      .int8_weights_alone = true,
      .packs_products = false,
      .gates_in_codes = false,
      .forms = std::span<const OperatorForm>(),
      .half_bias_codes = false,
      .runs_qoperators = false,
      .float32_scales = false,
      .half_scales_below_opset19 = false,
      .pairs_in_front_suffice = false,
      .fuses_residual_adds = false,
      .fuses_scaled_norms = false,
      .kernels_with_half_scales = false,
      .requantizes_at_concat = false,
      .gathers_codes = false,
      .beside_bf16 = "",
      .fast_in_half = false,
      .slow_between_pairs = std::span<const FloatOperator>(),
      .cache_version = nullptr,
      .half_risks = nullptr,
      .estimate = nullptr,
      .next_command = nullptr,
  };
}

/// Returns the one target of such an engine.
constexpr Target browser_target(const EngineDef& engine, std::string_view variant,
                                std::span<const ActivationType> types) {
  return {
      .engine = engine,
      .version_major = 1,
      .version_minor = 30,
      .variant = variant,
      .activation = QuantType{.type = DataType::UInt8},
      .activation_types = types,
      .other_types = "its DequantizeLinear takes no such codes",
      .int8_weight_initializer = true,
      .default_axis_is_1 = true,
      .reads_uint8_as_int8 = false,
      .saturates_without_vnni = false,
      .pairs_taps_apart = false,
      .int8_deconvolutions = false,
      .concat_shares_scale = true,
      .operands_share_scale = false,
      .float_type = FloatType::Fp32,
      .fp8_refusal = "it has no kernels for them",
      .strongly_typed = false,
      .attention_kernels = std::span<const AttentionKernel>(),
      .parser = {.newest_opset = 26},  // tried: 27 is refused
  };
}

}  // namespace detent
