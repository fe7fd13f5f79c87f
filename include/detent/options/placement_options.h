#pragma once

#include <string>
#include <vector>

#include "detent/options/code_type.h"

namespace detent {

/// The policies of placement rules R4-R11 and R15, and the user's includes and excludes (R12).
struct PlacementOptions {
  CodeType type = CodeType::Int8;  ///< of activations and weights: which layers have kernels depends on it
  enum class Concat { Shared, Inputs, Independent } concat = Concat::Shared;
  enum class DeconvActivation { ByActivation, Fuse, Split } deconv_activation = DeconvActivation::ByActivation;
  enum class ActAdd { Both, Main } act_add = ActAdd::Both;
  enum class SeMul { Both, Float } se_mul = SeMul::Both;
  enum class MaxPool { After, Both } maxpool = MaxPool::After;
  enum class SmallLayers { Auto, Quantize } small_layers = SmallLayers::Auto;
  enum class Attention { Float, Int8 } attention = Attention::Float;
  enum class Residual { Auto, Quantize, Float } residual = Residual::Auto;  ///< stream of a transformer
  enum class Scales { Fp16, Fp32 } scales = Scales::Fp16;  ///< of FP16 values: FP16 (opset 19), or FP32 between casts
  bool quantize_outputs = false;
  /// Activations are INT8 where the target's own type is UINT8: ONNX Runtime runs fewer layers in integers then (O10).
  /// Commands that have FormatOptions take it from there.
  bool int8_activations = false;
  /// ECMAScript regular expressions, searched in node names. An included node is quantized even where a rule would keep
  /// it float, an excluded one stays float; exclude wins over include; other nodes follow the rules.
  std::vector<std::string> include, exclude;
  std::vector<std::string> include_op, exclude_op;  ///< the same by operator name
};

}  // namespace detent
