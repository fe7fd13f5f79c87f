#pragma once

#include <string>
#include <utility>
#include <vector>

#include "detent/options/placement_options.h"
#include "place/engines/target.h"

namespace detent {

/// The user's placement options, completed by what the other options and the target say about placement.
struct PlacementRequest : PlacementOptions {
  /// INT8 activations for a target with UINT8 ones: ONNX Runtime then runs fewer layers in integers (O10).
  bool int8_activations = false;
  bool int16_activations = false;        ///< 16-bit codes are signed and symmetric
  bool dynamic_products = false;         ///< products quantize their data at run time
  bool ruined_products_dynamic = false;  ///< products of data that 8 bits ruin (R15) do
  bool ranges_known = false;             ///< with dynamic_products: data or a table give other layers scales in advance
  /// Names of values whose codes have 16 bits while others have 8; values that share their scale follow.
  std::vector<std::string> wide_values = {};
  /// The (output, input) names of states that go from one step to the next: pairs on both share one scale.
  std::vector<std::pair<std::string, std::string>> feeds = {};
};

/// Returns the request with what activations of a type mean for placement on the target.
[[nodiscard]] PlacementRequest with_activation(PlacementRequest request, DataType type, const Target& target);

}  // namespace detent
