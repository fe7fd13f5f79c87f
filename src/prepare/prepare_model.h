#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "detent/options/float_types.h"
#include "detent/options/placement_options.h"
#include "model/model.h"
#include "place/targets/target.h"

namespace detent {

struct Preparation {
  size_t folded_batchnorms = 0, forwarded_constants = 0;
  size_t folded_constants = 0;  ///< nodes that computed them
  size_t sums_of_two = 0;
  int64_t opset_before = 0, opset_after = 0;
  [[nodiscard]] bool changed() const {
    return folded_batchnorms > 0 || forwarded_constants > 0 || folded_constants > 0 || sums_of_two > 0 ||
           opset_before != opset_after;
  }
};

struct PrepareOptions {
  bool half_scales = true;  ///< FP16 values get FP16 scales: the opset becomes 19 at least
  FloatType float_type =
      FloatType::Fp32;  ///< that nodes will get: FP16 is like FP16 values, BF16 makes the opset 22 at least
  bool fp8 = false;     ///< FP8 codes make the opset 19 at least
};

/// The preparation that the placement options need.
[[nodiscard]] inline PrepareOptions prepare_options(const PlacementOptions& placement,
                                                    FloatType float_type = FloatType::Fp32) {
  return {.half_scales = placement.scales == PlacementOptions::Scales::Fp16,
          .float_type = float_type,
          .fp8 = placement.type == CodeType::Fp8};
}

/// Raises the opset to what nodes of a float type need: BF16 22, where convolutions and pooling have it.
/// Errors  those of raise_opset.
void raise_for(FloatType type, Model& model);

/// Raises the opset to what the target and the scales need, lets readers of Identity(constant) read the constant, folds
/// what is computed from constants, makes an Add of every Sum of two, and folds BatchNormalization, in place.
/// Errors  Unsupported when a node has no adapter to that opset; the hint says what can be asked for instead.
Preparation prepare_model(Model& model, const Target& target, const PrepareOptions& options = {});

/// prepare_model(), checked on `inputs` where it may have changed anything; no inputs -> not checked.
Preparation prepare_checked(Model& model, const Target& target, std::span<const Tensor> inputs,
                            const PrepareOptions& options = {});

}  // namespace detent
