#pragma once

#include <onnx/onnx_pb.h>

#include <array>
#include <string>
#include <vector>

namespace detent {

/// Domain, name and overload, which identify a function.
using FunctionKey = std::array<std::string, 3>;

[[nodiscard]] FunctionKey key_of(const onnx::FunctionProto& function);
[[nodiscard]] FunctionKey key_of(const onnx::NodeProto& node);
/// Returns "function 'domain.name'".
[[nodiscard]] std::string describe(const FunctionKey& key);

/// Returns the contents of a field that libonnx 1.12 does not know, in the order of the file.
[[nodiscard]] std::vector<std::string> unknown_field(const google::protobuf::Message& message, int number);

/// Returns the domain; "" for "ai.onnx", which is the same.
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

/// Bounds of the expansion of calls.
constexpr int kDeepestCalls = 100;              ///< nested functions; each prefixes its name
constexpr double kMostNodes = 1'000'000;        ///< nodes once all calls are replaced
constexpr double kMostBytes = 2'147'483'648.0;  ///< their bytes: protobuf holds less than 2 GiB in a message
constexpr double kMemoryOfNode = 2048;          ///< bytes: reading, planning and linting take 1.8 to 2.7 KB a node

/// Refuses calls whose replacement would never end or grow too large, before any is replaced. Measures each called
/// function once. Does nothing for a model without functions.
/// Errors  InvalidModel: a function that calls itself, directly or through others; calls deeper than kDeepestCalls;
/// more than kMostNodes nodes or kMostBytes bytes. InvalidData: more than the memory limit. The message names the
/// function and the bound.
void check_calls(const onnx::ModelProto& model);

}  // namespace detent
