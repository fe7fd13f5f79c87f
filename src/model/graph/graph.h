#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "detent/base/error.h"
#include "detent/base/tensor.h"
#include "model/graph/ids.h"

namespace detent {

class Graph;

using AttributeValue = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
                                    std::vector<std::string>, Tensor, std::shared_ptr<const Graph>>;

struct Attribute {
  std::string name;
  AttributeValue value;
};

/// Returns the value in `slot`; kNoValue beyond the end.
[[nodiscard]] inline ValueId in_slot(std::span<const ValueId> values, size_t slot) {
  return slot < values.size() ? values[slot] : kNoValue;
}

/// The domain of ONNX Runtime's own operators.
inline constexpr std::string_view kMicrosoftDomain = "com.microsoft";

struct Node {
  NodeId id = kNoNode;
  std::string name;  ///< as in the file, or OP_index where the file leaves it empty; unique within the graph
  std::string op_type;
  std::string domain;            ///< "" for ai.onnx, and where `of_microsoft`
  bool of_microsoft = false;     ///< QuantizeLinear or DequantizeLinear of com.microsoft: ONNX's own, with 16-bit codes
  std::vector<ValueId> inputs;   ///< kNoValue where an optional input is left out
  std::vector<ValueId> outputs;  ///< kNoValue where an optional output is left out
  std::vector<Attribute> attributes;

  /// Returns the attribute; nullptr when the node does not have it.
  [[nodiscard]] const AttributeValue* find_attribute(std::string_view key) const;
  /// Return the value of the attribute, or `fallback`. Errors  InvalidModel when it has another type.
  [[nodiscard]] int64_t int_or(std::string_view key, int64_t fallback) const;
  [[nodiscard]] float float_or(std::string_view key, float fallback) const;
  [[nodiscard]] std::string string_or(std::string_view key, std::string_view fallback) const;
  [[nodiscard]] std::vector<int64_t> ints_or(std::string_view key, std::vector<int64_t> fallback) const;
  [[nodiscard]] std::vector<float> floats_or(std::string_view key, std::vector<float> fallback) const;
  [[nodiscard]] const Tensor* tensor(std::string_view key) const;
  [[nodiscard]] std::shared_ptr<const Graph> graph(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return find_attribute(key) != nullptr; }

  /// Return the value in `slot`; kNoValue when left out, negative or beyond the end.
  [[nodiscard]] ValueId input(std::integral auto slot) const { return in_slot(inputs, static_cast<size_t>(slot)); }
  [[nodiscard]] ValueId output(std::integral auto slot) const { return in_slot(outputs, static_cast<size_t>(slot)); }
};

/// A reading of a value: the edge (value, consumer input slot).
struct Use {
  NodeId node = kNoNode;
  int slot = 0;
  friend bool operator==(const Use&, const Use&) = default;
};

struct Value {
  ValueId id = kNoValue;
  std::string name;
  NodeId producer = kNoNode;  ///< kNoNode for graph inputs, initializers and values of an outer graph
  std::vector<Use> uses;      ///< in node order; readings inside subgraphs count as uses by the If/Loop node, slot -1
  bool is_input = false;      ///< fed by the user (an initializer of the same name is not an input)
  bool is_output = false;
  bool is_constant = false;  ///< an initializer or the output of a Constant node: both are treated alike
  bool is_optional = false;  ///< declared an ONNX optional: it may be absent, type and shape are its content's
  std::optional<DataType> declared_type;  ///< from value_info, inputs and outputs; Sequence for lists of tensors
  std::optional<std::vector<int64_t>> declared_shape;  ///< -1 where open
  std::vector<std::string> symbols;                    ///< by axis, the name of an open extent; "" without one
};

class Model;

/// Index over one onnx::GraphProto: nodes in a valid execution order, values, producers, consumers, constants.
/// Read-only; every change is a GraphPatch on the Model, after which a new Graph is made. Constant tensors look into
/// the model's memory: the Graph must not outlive its Model.
class Graph {
 public:
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  [[nodiscard]] std::span<const Value> values() const { return values_; }
  [[nodiscard]] const Node& node(NodeId id) const { return nodes_[present_index(id)]; }
  [[nodiscard]] const Value& value(ValueId id) const { return values_[present_index(id)]; }
  /// Return the value or node of that name; kNoValue / kNoNode when there is none.
  [[nodiscard]] ValueId find_value(std::string_view key) const;
  [[nodiscard]] NodeId find_node(std::string_view key) const;

  [[nodiscard]] std::span<const ValueId> inputs() const { return inputs_; }  ///< initializers are not inputs
  [[nodiscard]] std::span<const ValueId> outputs() const { return outputs_; }
  /// Returns the values of enclosing graphs that a subgraph reads; empty for the main graph. Constants among them are
  /// constants of the subgraph too.
  [[nodiscard]] std::span<const ValueId> captured() const { return captured_; }

  /// Returns the tensor of an initializer or Constant node; nullptr when the value is not constant or `id` is kNoValue.
  /// Errors  Unsupported for constants that cannot be held in a Tensor: sparse, strings, 8-bit floats.
  [[nodiscard]] const Tensor* constant(ValueId id) const;

  [[nodiscard]] const Node* producer(ValueId id) const;
  /// Returns the values of this graph that the subgraphs of `node`, one of its nodes, read; each once. Empty for most
  /// nodes.
  [[nodiscard]] std::vector<ValueId> captured_by(const Node& node) const;
  /// True for the name of a value or a node that a graph inside this one defines: no value around it may have the name.
  [[nodiscard]] bool defines_inside(const std::string& name) const { return names_inside_.contains(name); }
  /// Returns the version of the operator set of `domain` that the model imports; 0 when it is not imported.
  [[nodiscard]] int64_t opset(std::string_view domain = "") const;

 private:
  friend class GraphIndexer;
  friend class GraphRewiring;
  std::vector<Node> nodes_;
  std::vector<Value> values_;
  std::unordered_map<std::string, ValueId> value_ids_;
  std::unordered_map<std::string, NodeId> node_ids_;
  std::unordered_map<ValueId, Tensor> constants_;
  std::unordered_map<ValueId, std::string> unreadable_;  // constants that fit no Tensor, and why
  std::vector<ValueId> inputs_, outputs_, captured_;
  std::unordered_set<std::string> names_inside_;
  std::map<std::string, int64_t, std::less<>> opsets_;
};

}  // namespace detent
