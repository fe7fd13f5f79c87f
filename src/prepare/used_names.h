#pragma once

#include <set>
#include <string>
#include <unordered_map>

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace detent {

/// The names of a graph's values and nodes, those of its subgraphs included.
class UsedNames {
 public:
  explicit UsedNames(const onnx::GraphProto& graph);
  /// Takes the node's name and outputs, and those of its subgraphs.
  void add(const onnx::NodeProto& node);
  /// "name/", or "name_1/" and so on where something of that beginning exists already; used from now on.
  [[nodiscard]] std::string unused_prefix(const std::string& name);

 private:
  void add(const onnx::GraphProto& graph);
  std::set<std::string> names_;
  std::unordered_map<std::string, int> last_;  // the number that unused_prefix() gave last; lower ones are taken
};

}  // namespace detent
