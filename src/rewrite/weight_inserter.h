#pragma once

#include "rewrite/rewrite_context.h"

namespace detent {

/// Quantizes the weights of the plan and, with int32_bias, the biases of their nodes. context.result.values must
/// already hold the grids of the activations. A bias that stays float, and a weight scale that was raised for a bias,
/// become warnings.
void insert_weights(RewriteContext& context);

}  // namespace detent
