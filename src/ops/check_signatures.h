#pragma once

#include "model/graph/graph.h"

namespace detent {

/// Compares every node of the graph and of the graphs inside it with the signature of its operator: inputs and outputs
/// that must be there or are too many, attributes that must be there or have another type. Nodes of operators that
/// Detent does not know, and attributes that an operator does not know, are passed over.
/// Errors  InvalidModel naming node, operator, opset and what is wrong, for the first node that does not fit.
void check_signatures(const Graph& graph);

}  // namespace detent
