#pragma once

#include <span>
#include <string_view>

#include "model/graph_patch.h"

namespace detent {

/// Adds to `patch` what makes a node of the version before mean the same in the version after.
/// types  element types of the graph's values, by id
/// Errors  Unsupported with the reason when that cannot be done for this node.
using OpsetAdapter = void (*)(const Graph& graph, const Node& node, const ValueMap<DataType>& types, GraphPatch& patch);

/// An operator of the default domain that got a new version.
struct OpsetChange {
  std::string_view op_type;      ///< empty: nothing is known about it
  int version = 0;               ///< the opset that brought the new version
  OpsetAdapter adapt = nullptr;  ///< nullptr: whatever was valid before means the same
};

/// The newest opset whose changes are all in the table.
inline constexpr int kNewestRaisedOpset = 22;

/// The table's entry for `op_type` at opset `version`, 8 to kNewestRaisedOpset. From opset 18 on, where the schemas of
/// the installed libonnx end, the table holds every operator that needs an adapter, so that silence means no change.
/// Source  ONNX docs/Changelog.md.
[[nodiscard]] OpsetChange find_opset_change(std::string_view op_type, int version);

}  // namespace detent
