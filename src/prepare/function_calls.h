#pragma once

#include <onnx/onnx_pb.h>

#include <array>
#include <string>
#include <vector>

namespace detent {

/// Domain, name and overload: what a call and its function share.
using FunctionKey = std::array<std::string, 3>;

[[nodiscard]] FunctionKey key_of(const onnx::FunctionProto& function);
[[nodiscard]] FunctionKey key_of(const onnx::NodeProto& node);
/// "function 'domain.name'".
[[nodiscard]] std::string describe(const FunctionKey& key);

/// Contents of a field that libonnx 1.12 does not know, in the order of the file.
[[nodiscard]] std::vector<std::string> unknown_field(const google::protobuf::Message& message, int number);

/// "ai.onnx" is another spelling of "".
[[nodiscard]] inline std::string canonical(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

/// Calls visit(node) for every node of the list and of its subgraphs, which protobuf does not read deeper than 100.
template <class NodeList, class Visit>
void visit_nodes(NodeList& nodes, const Visit& visit) {
  for (auto& node : nodes) {
    visit(node);
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) visit_nodes(attribute.g().node(), visit);
      for (const onnx::GraphProto& graph : attribute.graphs()) visit_nodes(graph.node(), visit);
    }
  }
}

/// Bounds of what calls may grow to.
constexpr int kDeepestCalls = 100;              ///< functions open at once; each puts its name before those inside
constexpr double kMostNodes = 1'000'000;        ///< nodes once all calls are replaced
constexpr double kMostBytes = 2'147'483'648.0;  ///< their bytes: protobuf holds less than 2 GiB in a message
constexpr double kMemoryOfNode =
    2048;  ///< in bytes: reading, planning and linting 262 144 nodes took 1.8 to 2.7 KB each

/// Refuses, before a call is replaced, what replacing them would never end or blow up. Each function is looked at once,
/// functions that nobody calls are not; nothing for a model without functions.
/// Errors  InvalidModel: a function that
/// calls itself, in however many steps; calls deeper than kDeepestCalls; more than kMostNodes nodes or kMostBytes
/// bytes; InvalidData: more than the memory limit holds. The message names the function and the bound.
void check_calls(const onnx::ModelProto& model);

}  // namespace detent
