#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// The element types of all values of a graph and of the graphs inside it. A graph input has the declared type. The
/// type of a node's output follows from its operator's signature, its attributes and the types that it reads; where
/// these tell nothing, the declared type holds, or else the type that its readers require.
class ValueTypes {
 public:
  /// `graph` must outlive the object.
  explicit ValueTypes(const Graph& graph);

  /// Returns the types of the values of `graph` or of a graph inside it. Sequence for lists of tensors. Undefined where
  /// nothing tells: behind operators of other domains without a declaration, and for optionals.
  [[nodiscard]] const ValueMap<DataType>& of(const Graph& graph) const { return types_.at(&graph); }

 private:
  std::unordered_map<const Graph*, ValueMap<DataType>> types_;
};

/// Returns the types of the values of `graph` itself, by id: ValueTypes(graph).of(graph).
[[nodiscard]] ValueMap<DataType> value_types(const Graph& graph);

/// True when some value or constant of the main graph is FP16.
[[nodiscard]] bool holds_half_values(const Graph& graph);

/// A place where a graph breaks a rule of ONNX.
struct GraphFault {
  std::string where;  ///< "node 'conv1' (Conv)", "value 'x'"
  std::string what;   ///< "input 0, 'x', is uint8; opset 17 takes float, double or float16 there"
};

/// Compares every node of the graph, and of the graphs inside it, with the types that its operator takes and makes.
/// Compares declared types with those that operators make. Looks for names that a graph inside defines again. Skips
/// operators of other domains.
[[nodiscard]] std::vector<GraphFault> find_graph_faults(const Graph& graph);

}  // namespace detent
