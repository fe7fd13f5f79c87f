#pragma once

#include <filesystem>
#include <span>

#include "detent/base/progress.h"
#include "model/graph/graph.h"
#include "ops/value_types.h"

namespace detent {

/// Compares the graph that is about to be written with the rules of ONNX that engines hold a file to: types of
/// operators, names of values (find_graph_faults). Faults at a node that `source` has too are the user's and are told
/// as warnings, one a node.
/// path  of the file to be written, for messages
/// Errors  Internal naming the node: Detent made a file that no engine loads.
void check_onnx_rules(const Graph& written, const std::filesystem::path& path, std::span<const GraphFault> source,
                      Reporter& reporter);

}  // namespace detent
