#pragma once

#include "rewrite/rewrite_context.h"

namespace detent {

/// Quantizes the weights of the plan and, with int32_bias, the biases of their nodes. context.result.values must hold
/// the grids of the activations already. Biases that stay float and weight scales that were raised for one become
/// warnings.
void insert_weights(RewriteContext& context);

}  // namespace detent
