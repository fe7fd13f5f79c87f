#pragma once

#include <optional>
#include <string>

#include "model/graph/graph.h"

namespace onnx {
class AttributeProto;
class NodeProto;
}  // namespace onnx

namespace detent {

[[nodiscard]] bool holds_graph(const onnx::AttributeProto& proto);

/// Returns the content of an attribute; nullopt for graphs, lists of tensors or graphs, types and sparse tensors.
/// Errors  those of tensor_from_proto.
[[nodiscard]] std::optional<AttributeValue> attribute_from_proto(const onnx::AttributeProto& proto);

/// True for types, sparse tensors and lists of graphs or tensors, which among standard operators only Constant and
/// Optional take.
[[nodiscard]] bool holds_rarity(const onnx::AttributeProto& proto);

/// Sets or replaces an attribute.
/// Errors  Internal for graphs: a patch does not make subgraphs.
void set_attribute(onnx::NodeProto& node, const Attribute& attribute);

/// Removes an attribute; returns false when the node does not have it.
bool remove_attribute(onnx::NodeProto& node, const std::string& name);

}  // namespace detent
