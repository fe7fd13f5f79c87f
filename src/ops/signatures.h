#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/signature.h"

namespace detent {

class Graph;
struct Node;

/// Returns all signatures of an operator of ONNX's own domain, oldest first; empty for one that the table does not
/// list.
[[nodiscard]] std::span<const Signature> signatures_of(std::string_view op_type);

/// Returns the signature in force at `opset`, the oldest one for older opsets; nullptr for an operator that the table
/// does not list.
[[nodiscard]] const Signature* find_signature(std::string_view op_type, int64_t opset);

/// Returns the opset whose signature holds for a node: that of its domain, and at least 21 for the two operators of
/// com.microsoft that have the types of ONNX's own at every opset.
[[nodiscard]] int64_t signature_opset(const Graph& graph, const Node& node);

/// Returns the signature that a node has to fit: of ONNX's operators and of those of ONNX Runtime that Detent expands;
/// nullptr for others. It may be newer than the opset.
[[nodiscard]] const Signature* find_node_signature(const Graph& graph, const Node& node);

/// Returns the signature in force; nullptr where it tells no types: for operators that have no signature here, those
/// that hold graphs (If, Loop, Scan, SequenceMap), Constant, those of optionals, and opsets older than the operator.
[[nodiscard]] const Signature* find_typed_signature(const Graph& graph, const Node& node);

}  // namespace detent
