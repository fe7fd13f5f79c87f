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

/// The content of an attribute; nullopt for graphs, lists of tensors or graphs, types and sparse tensors.
/// Errors  those of tensor_from_proto.
[[nodiscard]] std::optional<AttributeValue> attribute_from_proto(const onnx::AttributeProto& proto);

/// True for what no standard operator but Constant and Optional takes: types, sparse tensors, lists of graphs or
/// tensors.
[[nodiscard]] bool holds_rarity(const onnx::AttributeProto& proto);

/// Sets or replaces an attribute.
/// Errors  Internal for graphs: a patch does not make subgraphs.
void set_attribute(onnx::NodeProto& node, const Attribute& attribute);

/// False when the node does not carry it.
bool remove_attribute(onnx::NodeProto& node, const std::string& name);

}  // namespace detent
