#pragma once

#include <optional>
#include <span>

#include "ops/elementwise/activation.h"

namespace detent {

/// The activation that a value goes through before anything else reads it, perhaps behind a sum with another value.
struct ActivationBehind {
  ValueId before = kNoValue;  ///< what the activation reads: the value, or the sum with the residual
  ValueId after = kNoValue;   ///< what it writes
  ActivationSpec activation;
};

/// nullopt where the value is read otherwise too, or by no activation. x * Sigmoid(x) counts as one.
[[nodiscard]] std::optional<ActivationBehind> activation_behind(const Graph& graph, ValueId value);

/// Slope of the activation at each x, by a central difference as wide as a thousandth of the largest |x|. Of a kink the slope
/// between its sides. Empty -> empty.
[[nodiscard]] std::vector<float> slopes(const ActivationSpec& activation, std::span<const float> x);

}  // namespace detent
