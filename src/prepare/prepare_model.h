#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "detent/options/float_types.h"
#include "detent/options/placement_options.h"
#include "model/model.h"
#include "place/engines/target.h"
#include "place/plan/attention_decision.h"

namespace detent {

/// Counts of the changes that prepare_model() made.
struct Preparation {
  size_t folded_batchnorms = 0, forwarded_constants = 0;
  size_t folded_constants = 0;  ///< nodes that computed constants
  size_t folded_operators = 0;  ///< Add, Sub, Mul and Div by constants behind weighted nodes
  size_t sums_of_two = 0;
  size_t cancelled_transposes = 0;  ///< that are gone
  size_t attention_nodes = 0;       ///< replaced to bring attention into the form that the engine fuses with pairs
  std::string forms_undone;  ///< why operators keep their form although the engine wants another; empty: none does
  size_t forms = 0;          ///< operators were brought into this many forms that the engine wants
  int64_t opset_before = 0, opset_after = 0;
  [[nodiscard]] bool changed() const {
    return folded_batchnorms > 0 || folded_operators > 0 || forwarded_constants > 0 || folded_constants > 0 ||
           sums_of_two > 0 || cancelled_transposes > 0 || attention_nodes > 0 || forms > 0 ||
           opset_before != opset_after;
  }
};

/// The types that the prepared model must allow.
struct PrepareOptions {
  bool half_scales = true;                 ///< FP16 values get FP16 scales, which need opset 19
  FloatType float_type = FloatType::Fp32;  ///< type that nodes will get; BF16 needs opset 22
  bool fp8 = false;                        ///< FP8 codes, which need opset 19
  bool int8 = false;                       ///< INT8 codes of activations, which want opset 20 at most
  bool forms = true;                       ///< bring operators into the forms that the engine wants, cancel Transposes
  bool attention = true;                   ///< bring attention into the form that the engine fuses
  bool attention_pairs = false;            ///< products of two activations get pairs
};

/// Returns the preparation that the placement options need.
[[nodiscard]] inline PrepareOptions prepare_options(const PlacementOptions& placement,
                                                    FloatType float_type = FloatType::Fp32,
                                                    DataType activation = DataType::UInt8) {
  return {.half_scales = placement.scales == PlacementOptions::Scales::Fp16,
          .float_type = float_type,
          .fp8 = placement.type == CodeType::Fp8,
          .int8 = activation == DataType::Int8,
          .forms = true,
          .attention = true,
          .attention_pairs = quantizes_attention(placement)};
}

/// Raises the opset to the one that nodes of a float type need: 22 for BF16.
/// pairs   true: also to the one that has scales of that type, 19
/// Errors  those of raise_opset.
void raise_for(FloatType type, Model& model, bool pairs = false);

/// Prepares the model in place. Raises the opset to the one that the target and the types need; with INT8 codes it
/// lowers one above 20, if nothing in the model needs it. For a target that refuses newer opsets it lowers the model to
/// the last that it reads (fit_opset.h). Lets readers of Identity(constant) read the constant. Folds constants,
/// BatchNormalization and operators by constants behind weights. Replaces every Sum of two by an Add. Moves nodes in
/// front of Transposes that cancel then. Leaves out states of LSTM, GRU and RNN that nothing reads. Brings attention
/// into the form that the engine fuses; operators Attention only if they get pairs.
/// Errors  Unsupported when a node has no adapter to that opset; the hint names an option that avoids it. The
///         errors of fit_opset.
Preparation prepare_model(Model& model, const Target& target, const PrepareOptions& options = {});

/// Does the same and checks on `inputs` that the outputs are unchanged; no inputs -> no check. Forms of operators with
/// which an output changes are undone.
Preparation prepare_checked(Model& model, const Target& target, std::span<const Tensor> inputs,
                            const PrepareOptions& options = {});

}  // namespace detent
