#pragma once

#include <map>
#include <set>
#include <string>

#include "model/graph_patch.h"

namespace detent {

/// Graph inputs and outputs in the types of the nodes beside them, instead of casts.
struct NarrowedIo {
  GraphPatch patch;
  std::map<std::string, std::string> renamed;  ///< values that are no more -> the input or output that took their place
  std::set<std::string> casts;                 ///< nodes that are no more
};

/// Takes the Cast to `type` behind a Float32 input that only such Casts and QuantizeLinear read (their scales get the
/// type), and the Cast from it before a Float32 output, unless the Cast reads a pair. Empty where there are none.
[[nodiscard]] NarrowedIo narrow_io(const Graph& graph, DataType type);

}  // namespace detent
