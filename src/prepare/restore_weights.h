#pragma once

#include <cstddef>

#include "model/model.h"

namespace detent {

/// Makes floats of weights and tables that are stored as codes, as `quantize-weights` and others write them:
///
///   before:  codes -> DequantizeLinear -> layer           after:  floats -> layer
///            codes -> Gather -> DequantizeLinear -> ...           floats -> Gather -> ...
///
/// Returns the number of such constants. A file that holds anything else of codes (QuantizeLinear, integer operators, a
/// DequantizeLinear of other values or of a graph output) is left as it is: 0.
size_t restore_weights(Model& model);

}  // namespace detent
