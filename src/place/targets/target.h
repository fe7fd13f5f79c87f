#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/qparams.h"
#include "detent/options/float_types.h"
#include "place/targets/attention_kernels.h"

namespace detent {

/// A fact about an engine with the address of its source.
struct SourcedFact {
  std::string_view fact;
  std::string_view source;
};

/// A type of activations that an engine takes.
struct ActivationType {
  DataType type = DataType::Int8;
  std::string_view without_kernels = {};  ///< what happens for lack of integer kernels; empty: they exist
};

/// The engine whose rules apply (rule_list.h).
enum class Engine : uint8_t { TensorRT, OnnxRuntime, OpenVino, Dla, Qnn };

/// True when a pair in front of a layer and a quantized weight make it an INT8 layer, whatever stands behind it.
[[nodiscard]] constexpr bool has_pair_kernels(Engine engine) {
  return engine == Engine::TensorRT || engine == Engine::OpenVino || engine == Engine::Dla;
}

/// The facts about an engine that placement and rewriting follow. One constant per engine and version in
/// src/place/targets/.
struct Target {
  std::string_view name;                     ///< "tensorrt"
  int version_major = 0, version_minor = 0;  ///< 10.13
  std::string_view variant = {};             ///< "cpu": the word that stands for the version in the spec; may be empty
  Engine engine = Engine::TensorRT;
  QuantType activation;                              ///< default activation type
  std::span<const ActivationType> activation_types;  ///< every integer type that the engine takes
  std::string_view other_types;                      ///< what happens to a file with another integer type
  bool int8_weight_initializer = true;               ///< INT8 initializer + DQ; false: FP32 + Q + DQ
  bool int32_bias = false;                           ///< bias as INT32 + DQ with scale s_x * s_w
  int64_t minimum_opset = 13;                        ///< the first opset with `axis`; older models are raised to it
  int64_t newest_opset = 0;                ///< the last opset whose operators its frontend knows; 0: none is known
  bool fp16_scales_below_opset19 = false;  ///< the parser accepts FP16 scales although ONNX has them from opset 19 on
  bool saturates_without_vnni = false;     ///< UINT8 x INT8 products are added in pairs in 16 bits on some x86 CPUs
  bool narrow_weights = false;             ///< INT8 weights have codes from -127 to 127
  bool concat_shares_scale = true;         ///< openvino: the inputs of a Concat have one scale
  bool operands_share_scale = false;       ///< openvino:npu: the inputs of Add, Mul ... have one scale
  bool float32_scales = false;             ///< scales are FP32 also beside FP16 values
  bool whole_graph = false;  ///< every float value carries a pair, graph outputs too: the engine has no float kernels
  bool channel_scales_of_products = true;              ///< weights of MatMul may have one scale for each output channel
  bool uint8_single_scales = false;                    ///< a weight with one scale is UINT8 with a zero point, not INT8
  FloatType float_type = FloatType::Fp32;              ///< default type of nodes that are not quantized
  bool fp8 = false;                                    ///< pairs of float8e4m3fn run in FP8 kernels
  std::string_view fp8_refusal;                        ///< why not; empty if they do
  bool implicit_quantization = false;                  ///< the file stays float, and a calibration cache has the scales
  bool strongly_typed = false;                         ///< the engine computes in the types of the file
  std::span<const AttentionKernel> attention_kernels;  ///< empty: the engine fuses no attention
  std::span<const SourcedFact> facts;

  /// True where nodes that 8 bits cost too much get 16-bit activations instead of floats: the engine has no float
  /// kernels and takes such codes.
  [[nodiscard]] bool has_wide_islands() const;
  /// Returns nullptr where the engine has no such kernel.
  [[nodiscard]] const AttentionKernel* find_attention(AttentionKernel::Type type) const;
  /// Returns nullptr for a type that the engine does not take.
  [[nodiscard]] const ActivationType* find_activation(DataType type) const;
  /// Returns "int8", or "int8, uint8" ....
  [[nodiscard]] std::string activation_names() const;
  /// Returns "tensorrt:10.13", or "openvino:cpu" for a target with a variant.
  [[nodiscard]] std::string spec() const;
};

/// Refuses a target that takes no pairs, for commands that write nothing else.
/// Errors  InvalidOption.
void check_takes_pairs(const Target& target);

/// Returns every target, the default version of an engine before its other versions. Never empty.
[[nodiscard]] std::span<const Target> target_list();
/// Finds "tensorrt" (its default version), "tensorrt:8.6", "openvino:npu", "onnxruntime" ...
/// Errors  Usage naming the known targets.
[[nodiscard]] const Target& find_target(std::string_view spec);

}  // namespace detent
