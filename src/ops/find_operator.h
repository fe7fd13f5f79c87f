#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/operator.h"

namespace detent {

/// Returns the definition of an operator at an opset; nullptr when there is none.
[[nodiscard]] const OperatorDef* find_operator(std::string_view domain, std::string_view op_type, int64_t opset);
/// Returns a definition of the operator at some opset, for facts that do not change between opsets; nullptr when there
/// is none.
[[nodiscard]] const OperatorDef* find_at_any_opset(std::string_view domain, std::string_view op_type);

/// A node that cannot run and why.
struct UnsupportedNode {
  NodeId node;
  std::string reason;
};
/// Returns every node among `nodes` that cannot run, by itself or because of a node in one of its subgraphs.
[[nodiscard]] std::vector<UnsupportedNode> find_unsupported(const Graph& graph, std::span<const NodeId> nodes);

}  // namespace detent
