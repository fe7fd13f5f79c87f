#pragma once

#include <span>
#include <string_view>

#include "model/graph_patch.h"

namespace detent {

/// Adds to `patch` the changes that keep the meaning of a node in the next version of its operator.
/// types  element types of the graph's values, by id
/// Errors  Unsupported with the reason when the node cannot be adapted.
using OpsetAdapter = void (*)(const Graph& graph, const Node& node, const ValueMap<DataType>& types, GraphPatch& patch);

/// An operator of the default domain that has a new version.
struct OpsetChange {
  std::string_view op_type;      ///< empty: unknown
  int version = 0;               ///< the opset that brought the new version
  OpsetAdapter adapt = nullptr;  ///< nullptr: old nodes keep their meaning
};

/// The newest opset whose changes are all in the table.
inline constexpr int kNewestRaisedOpset = 22;

/// Returns the entry for `op_type` at opset `version`, 8 to kNewestRaisedOpset. From opset 18 on, where the schemas of
/// the installed libonnx end, the table holds only operators that need an adapter.
/// Source  ONNX docs/Changelog.md.
[[nodiscard]] OpsetChange find_opset_change(std::string_view op_type, int version);

/// The last opset whose changes operator_changed_at() lists.
inline constexpr int kNewestListedOpset = 17;

/// True when an operator of ONNX's domain that existed in opset `version` - 1 has another meaning or signature from
/// `version` on. False for unknown operators and beyond kNewestListedOpset. A table, because libonnx makes some 600
/// schemas at the first question; a test compares the two.
[[nodiscard]] bool operator_changed_at(std::string_view op_type, int version);

}  // namespace detent
