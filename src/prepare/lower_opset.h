#pragma once

#include <cstdint>

#include "model/model.h"

namespace detent {

/// Lowers the default domain's opset to `wanted` where every node, also of subgraphs, has the same meaning there.
/// Returns false, with the model unchanged, where a node has not: an operator, an attribute or an element type is
/// newer, or find_opset_change() has an adapter between the two. Returns false too where the opset is not above
/// `wanted`, or newer than the operators that Detent knows.
bool lower_opset(Model& model, int64_t wanted);

}  // namespace detent
