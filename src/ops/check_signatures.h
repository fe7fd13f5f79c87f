#pragma once

#include "model/graph/graph.h"

namespace detent {

/// Compares every node of the graph and of the graphs inside it with the signature of its operator: inputs and outputs
/// that are required or too many, attributes that are required or have another type. Skips nodes of operators that
/// Detent does not know, and attributes that an operator does not know. Errors  InvalidModel naming node, operator,
/// opset and what is wrong, for the first node that does not fit.
void check_signatures(const Graph& graph);

}  // namespace detent
