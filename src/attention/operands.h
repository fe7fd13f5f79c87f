#pragma once

#include "attention/attention_block.h"

namespace detent {

/// Sets sizes, `rotary` and `grouped` from the operands of the block's products.
void describe_operands(const Graph& graph, const ExtentsOf& extents_of, AttentionBlock& block);

}  // namespace detent
