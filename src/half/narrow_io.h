#pragma once

#include <map>
#include <set>
#include <string>

#include "model/graph_patch.h"

namespace detent {

/// A patch that gives graph inputs and outputs the types of the nodes beside them, instead of casts.
struct NarrowedIo {
  GraphPatch patch;
  std::map<std::string, std::string> renamed;  ///< removed value -> the input or output that took its place
  std::set<std::string> casts;                 ///< removed nodes
};

/// Removes the Cast to `type` behind a Float32 input that only such Casts and QuantizeLinear read (their scales get the
/// type), and the Cast from `type` before a Float32 output, unless that Cast reads a pair.
/// Empty  no such Cast -> an empty patch.
[[nodiscard]] NarrowedIo narrow_io(const Graph& graph, DataType type);

}  // namespace detent
