#pragma once

#include <cstdint>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent {

/// Raises the default domain's opset to `wanted` with small adapters for the operators whose meaning changed
/// (attributes that became inputs, the axis of Softmax, ...). No change when the opset is that high already.
/// Errors  Unsupported naming every node without an adapter; the model is unchanged. Also the errors of
/// check_signatures.
void raise_opset(Model& model, int64_t wanted);

}  // namespace detent
