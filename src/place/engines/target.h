#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/qparams.h"
#include "detent/options/float_types.h"
#include "place/engines/attention_kernels.h"
#include "place/engines/engine.h"

namespace detent {

/// A type of activations that an engine takes.
struct ActivationType {
  DataType type = DataType::Int8;
  std::string_view without_kernels = {};  ///< what happens for lack of integer kernels; empty: they exist
};

/// The operators that the parser of one version of an engine reads.
struct ParserFacts {
  int64_t newest_opset = 0;         ///< the last opset that its documentation names; 0: that of the engine
  std::string_view operators = {};  ///< of ONNX's own domain, each between spaces; empty: unknown
  /// It refuses models of a newer opset, which prepare_model() then lowers (fit_opset.h).
  bool refuses_newer = false;
  bool codes_of_4_bits = true;  ///< its runtime has INT4 and UINT4; false: it refuses models with them

  [[nodiscard]] bool reads(std::string_view op_type) const;
};

/// The facts about one version of an engine, or about it on one device, that placement and rewriting follow. A member
/// without a default must be stated.
struct Target {
  const EngineDef& engine;
  Decided<int> version_major, version_minor;  ///< 10.13
  Decided<std::string_view> variant;          ///< "cpu": the word that stands for the version in the spec; may be empty
  Decided<QuantType> activation;              ///< default activation type
  Decided<std::span<const ActivationType>> activation_types;  ///< every integer type that the engine takes
  Decided<std::string_view> other_types;                      ///< what happens to a file with another integer type
  Decided<bool> int8_weight_initializer;                      ///< INT8 initializer + DQ; false: FP32 + Q + DQ
  Decided<bool> default_axis_is_1;        ///< as ONNX says, of a DequantizeLinear with scales per channel
  Decided<bool> reads_uint8_as_int8;      ///< a UINT8 zero point of 0 is taken for an INT8 one
  Decided<bool> saturates_without_vnni;   ///< UINT8 x INT8 products are added in pairs in 16 bits on some x86 CPUs
  Decided<bool> pairs_taps_apart;         ///< without groups both belong to one place of a Conv's kernel
  Decided<bool> int8_deconvolutions;      ///< a ConvTranspose runs in INT8
  Decided<bool> concat_shares_scale;      ///< the inputs of a Concat have one scale
  Decided<bool> operands_share_scale;     ///< the inputs of Add, Mul ... have one scale
  Decided<FloatType> float_type;          ///< default type of nodes that are not quantized
  Decided<std::string_view> fp8_refusal;  ///< why pairs of float8e4m3fn do not run in FP8 kernels; empty if they do
  Decided<bool> strongly_typed;           ///< the engine computes in the types of the file
  Decided<std::span<const AttentionKernel>> attention_kernels;  ///< empty: the engine fuses no attention
  ParserFacts parser = {};

  /// Returns the last opset whose operators its frontend knows; 0: none is known.
  [[nodiscard]] int64_t newest_opset() const;
  [[nodiscard]] bool takes_fp8() const { return fp8_refusal->empty(); }
  /// True where a bias is an INT32 constant with DequantizeLinear unless the user wants otherwise.
  [[nodiscard]] bool int32_bias() const { return engine.biases == BiasTypes::Int32OrFloat; }
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
/// Returns the target of commands without --target: the first of the list.
[[nodiscard]] const Target& default_target();
/// Finds "tensorrt" (its default version), "tensorrt:8.6", "openvino:npu", "onnxruntime" ...
/// Errors  Usage naming the known targets.
[[nodiscard]] const Target& find_target(std::string_view spec);

}  // namespace detent
