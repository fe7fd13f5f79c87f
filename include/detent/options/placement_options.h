#pragma once

#include <string>
#include <vector>

#include "detent/options/code_type.h"

namespace detent {

/// The user's includes and excludes (R12).
struct NodeChoice {
  /// ECMAScript regular expressions, searched in node names. An included node is quantized even if a rule keeps it
  /// float, an excluded one stays float; exclude wins.
  std::vector<std::string> include, exclude;
  std::vector<std::string> include_op, exclude_op;  ///< the same by operator name
};

/// Policies of placement rules R4-R11, R15, R20, R22 and R23, beside the user's choice of nodes.
struct PlacementOptions : NodeChoice {
  CodeType type = CodeType::Int8;  ///< of activations and weights; the layers that have kernels depend on it
  enum class Concat { Shared, Inputs, Independent } concat = Concat::Shared;
  enum class DeconvActivation { ByActivation, Fuse, Split } deconv_activation = DeconvActivation::ByActivation;
  enum class ActAdd { Both, Main } act_add = ActAdd::Both;
  enum class SeMul { Both, Float } se_mul = SeMul::Both;
  enum class MaxPool { After, Both } maxpool = MaxPool::After;
  enum class SmallLayers { Auto, Quantize } small_layers = SmallLayers::Auto;
  /// Products of two activations. Int8 and Fp8 go with `type`; rewrite_options() refuses other combinations. Auto is
  /// what costs no accuracy.
  enum class Attention { Auto, Float, Int8, Fp8 } attention = Attention::Auto;
  enum class Residual { Auto, Quantize, Float } residual = Residual::Auto;  ///< residual stream of a transformer
  enum class Scales { Fp16, Fp32 } scales = Scales::Fp16;  ///< of FP16 values: FP16 (opset 19), or FP32 between casts
  /// Tables that Gather reads. Auto: INT8 above 1 MB, where the engine gathers codes.
  enum class Embeddings { Auto, Float, Int8 } embeddings = Embeddings::Auto;
  enum class FloatWeights { Float, Int8 } float_weights = FloatWeights::Float;  ///< of layers that stay float
  bool quantize_outputs = false;
};

}  // namespace detent
