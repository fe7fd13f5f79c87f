#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/operator.h"

namespace detent {

/// The definition for an operator at an opset; nullptr when there is none.
[[nodiscard]] const OperatorDef* find_operator(std::string_view domain, std::string_view op_type, int64_t opset);
/// A definition of the operator at some opset, for facts that do not change between opsets; nullptr when there is none.
[[nodiscard]] const OperatorDef* find_at_any_opset(std::string_view domain, std::string_view op_type);

/// A node that cannot run and why.
struct UnsupportedNode {
  NodeId node;
  std::string reason;
};
/// Every node among `nodes` that cannot run, by itself or for a node in one of its subgraphs. Empty -> all can.
[[nodiscard]] std::vector<UnsupportedNode> find_unsupported(const Graph& graph, std::span<const NodeId> nodes);

}  // namespace detent
