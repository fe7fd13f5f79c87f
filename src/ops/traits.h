#pragma once

#include "model/graph/graph.h"
#include "ops/op_kind.h"

namespace detent {

/// Returns the traits of a node, also for operators of unknown opset; default traits when unknown.
[[nodiscard]] const OpTraits& traits_of(const Graph& graph, const Node& node);

}  // namespace detent
