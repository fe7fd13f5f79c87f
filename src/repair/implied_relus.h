#pragma once

#include <map>
#include <set>
#include <string>

#include "lint/reading/qdq_reading.h"
#include "model/graph/graph.h"

namespace detent {

/// Returns the values whose numbers below 0 a pair alone cuts off: its lowest code stands for 0, but the value can be
/// negative, and no Relu follows. onnxruntime.quantization takes a Relu out where the pair behind it does its work.
/// graph  without pairs;  grids  of values, by name
[[nodiscard]] std::set<std::string> values_cut_at_zero(const Graph& graph,
                                                       const std::map<std::string, const QdqNode*>& grids);

}  // namespace detent
