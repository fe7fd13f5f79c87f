#pragma once

#include <onnx/onnx_pb.h>

#include <string>

namespace detent {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Where a node was replaced by the nodes of its body, `source` is what the body made of output `index`: a copy gives
/// it the name that readers know. Nothing where it has that name, or the node leaves the output out.
inline void copy_output(const onnx::NodeProto& node, int index, const std::string& source, const std::string& prefix,
                        Nodes& target) {
  if (node.output(index).empty() || source == node.output(index)) return;
  onnx::NodeProto& copy = *target.Add();
  copy.set_op_type("Identity");
  copy.set_name(prefix + "Identity_" + std::to_string(index));
  copy.add_input(source);
  copy.add_output(node.output(index));
}

}  // namespace detent
