#pragma once

#include <string>

#include "model/graph.h"

namespace onnx {
class NodeProto;
}

namespace detent {

/// Sets or replaces an attribute. Errors  Internal for graphs: a patch does not make subgraphs.
void set_attribute(onnx::NodeProto& node, const Attribute& attribute);

/// False when the node does not carry it.
bool remove_attribute(onnx::NodeProto& node, const std::string& name);

}  // namespace detent
