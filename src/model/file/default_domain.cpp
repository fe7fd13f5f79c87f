#include "model/file/default_domain.h"

#include <onnx/onnx_pb.h>

#include <string_view>
#include <utility>

namespace detent {

namespace {

constexpr std::string_view kSpelledOut = "ai.onnx";

template <class Message>
void respell(Message& message) {
  if (message.domain() == kSpelledOut) message.clear_domain();
}

template <class Nodes>
void respell_nodes(Nodes& nodes) {
  for (onnx::NodeProto& node : nodes) {
    respell(node);
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) respell_nodes(*attribute.mutable_g()->mutable_node());
      for (onnx::GraphProto& graph : *attribute.mutable_graphs()) respell_nodes(*graph.mutable_node());
    }
  }
}

/// Replaces the spelling in imports; of a set that is imported in both spellings the first import counts.
template <class Sets>
void respell_sets(Sets& sets) {
  bool seen = false;
  for (int i = 0; i < sets.size();) {
    respell(sets[i]);
    if (sets[i].domain().empty() && std::exchange(seen, true))
      sets.DeleteSubrange(i, 1);
    else
      ++i;
  }
}

}  // namespace

void use_empty_default_domain(onnx::ModelProto& proto) {
  respell_sets(*proto.mutable_opset_import());
  respell_nodes(*proto.mutable_graph()->mutable_node());
  for (onnx::FunctionProto& function : *proto.mutable_functions()) {
    respell_sets(*function.mutable_opset_import());
    respell_nodes(*function.mutable_node());
  }
}

int64_t default_opset(const onnx::ModelProto& proto) {
  for (const onnx::OperatorSetIdProto& set : proto.opset_import())
    if (set.domain().empty() || set.domain() == kSpelledOut) return set.version();
  return 0;
}

}  // namespace detent
