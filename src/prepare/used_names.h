#pragma once

#include <onnx/onnx_pb.h>

#include <set>
#include <string>
#include <unordered_map>

namespace detent {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Copies `source`, the value that the body of a replaced node computes for output `index`, to the output's name in the
/// graph around. Does nothing when the names are equal or the node leaves the output out.
inline void copy_output(const onnx::NodeProto& node, int index, const std::string& source, const std::string& prefix,
                        Nodes& target) {
  if (node.output(index).empty() || source == node.output(index)) return;
  onnx::NodeProto& copy = *target.Add();
  copy.set_op_type("Identity");
  copy.set_name(prefix + "Identity_" + std::to_string(index));
  copy.add_input(source);
  copy.add_output(node.output(index));
}

/// The names of a graph's values and nodes, including those of its subgraphs.
class UsedNames {
 public:
  explicit UsedNames(const onnx::GraphProto& graph) { add(graph); }
  /// Adds the node's name and outputs, and those of its subgraphs.
  void add(const onnx::NodeProto& node);
  /// Returns "name/", or "name_1/" and so on when a name with that beginning exists; marks it as used.
  [[nodiscard]] std::string unused_prefix(const std::string& name);

 private:
  void add(const onnx::GraphProto& graph);
  std::set<std::string> names_;
  std::unordered_map<std::string, int> last_;  // the number that unused_prefix() used last; lower ones are taken
};

}  // namespace detent
