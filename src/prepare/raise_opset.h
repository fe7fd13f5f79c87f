#pragma once

#include <cstdint>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent {

/// Raises the default domain's opset to `wanted` with small adapters for the operators whose meaning changed between
/// (attributes that became inputs, Softmax's coerced axis, ...). Already there -> no change.
/// Errors  Unsupported naming every node for which there is no adapter; the model is unchanged then; those of
/// check_signatures.
void raise_opset(Model& model, int64_t wanted);

}  // namespace detent
