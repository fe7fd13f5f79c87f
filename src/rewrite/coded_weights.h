#pragma once

#include <map>

#include "model/graph/graph.h"
#include "rewrite/block_quantizer.h"

namespace detent {

/// Quantized weights by the value that they stand for, those of tables too.
using BlockedWeights = std::map<ValueId, BlockedWeight>;

}  // namespace detent
