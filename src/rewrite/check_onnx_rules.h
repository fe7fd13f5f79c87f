#pragma once

#include <filesystem>
#include <span>

#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "model/graph/graph.h"
#include "ops/value_types.h"

namespace detent {

/// Checks the graph to be written against the rules of ONNX that engines require: types of operators, names of values
/// (find_graph_faults). A fault that `source` has too comes from the user's model. In a graph without pairs it becomes
/// a warning, one a node: some engines take more types than ONNX. In one with pairs a fault at a node is refused:
/// engines compare the types around pairs. path  of the file to be written, for messages Errors  InvalidModel naming
/// the source's first fault, also where the file breaks a rule at another node: what
///         follows from a broken rule need not break it at the same node. Internal naming the node where the source
///         breaks none: Detent made a file that no engine loads.
void check_onnx_rules(const Graph& written, const std::filesystem::path& path, std::span<const GraphFault> source,
                      Reporter& reporter);

/// Returns the error of a check of the written graph: where `source` breaks rules itself, Internal becomes InvalidModel
/// that names its first fault.
[[nodiscard]] Error blamed_on(std::span<const GraphFault> source, const Error& error);

}  // namespace detent
