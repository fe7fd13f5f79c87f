#pragma once

#include <map>
#include <string>
#include <vector>

#include "detent/code_type.h"

namespace detent {

/// The policies of placement rules R4-R11 and R15 plus the user's includes and excludes (R12) and what measurements keep float
/// (R13, R15).
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
  /// Activations are INT8 where the target's own type is UINT8: ONNX Runtime runs fewer layers in integers then (O10). Commands
  /// that have FormatOptions take it from there.
  bool int8_activations = false;
  /// ECMAScript regular expressions, searched in node names. An included node is quantized even where a rule would keep
  /// it float, an excluded one stays float; exclude wins over include; other nodes follow the rules.
  std::vector<std::string> include, exclude;
  std::vector<std::string> include_op, exclude_op;  ///< the same by operator name
  /// Nodes that stay float for what was measured, by name, with the reason that the plan gives. Included nodes do not.
  std::map<std::string, std::string> keep_float;
  /// Nodes that read a value of the residual stream which INT8 ruins, by name, with the figures. Names of no node say nothing:
  /// the same options serve the model before and after its types are changed.
  std::map<std::string, std::string> ruined;
};

}  // namespace detent
