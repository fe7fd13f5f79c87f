#include "model/graph/node_names.h"

#include <onnx/onnx_pb.h>

#include <unordered_set>

namespace detent {

std::vector<std::string> node_names(const onnx::GraphProto& graph) {
  std::unordered_set<std::string> taken;
  std::vector<std::string> names(static_cast<size_t>(graph.node_size()));
  std::vector<int> pending;  // given names come first: no other node gets a name from the file
  for (int i = 0; i < graph.node_size(); ++i) {
    const std::string& name = graph.node(i).name();
    if (!name.empty() && taken.insert(name).second)
      names[static_cast<size_t>(i)] = name;
    else
      pending.push_back(i);
  }
  for (const int i : pending) {
    const onnx::NodeProto& node = graph.node(i);
    const std::string wish = node.name().empty() ? node.op_type() + "_" + std::to_string(i) : node.name();
    std::string name = wish;
    for (int suffix = 1; !taken.insert(name).second; ++suffix) name = wish + "_" + std::to_string(suffix);
    names[static_cast<size_t>(i)] = name;
  }
  return names;
}

}  // namespace detent
