#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/graph_patch.h"

namespace detent::expand {

/// The name of a value; "" where an optional one is left out.
using Name = std::string;
using Names = std::vector<Name>;

/// Ends the expansion of a node, which stays as it is: an Error Unsupported with the reason.
[[noreturn]] void refuse(const std::string& reason);

/// The nodes that replace one node, while an expander writes them. Inputs and outputs of the node keep their names;
/// new values and nodes begin with the prefix.
class Body {
 public:
  /// types  element types of the graph's values, by id. All references must outlive the body.
  Body(const Graph& graph, const Node& node, const ValueMap<DataType>& types, std::string prefix);

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] int64_t opset() const { return graph_.opset(); }
  [[nodiscard]] bool reads(size_t slot) const { return bool(node_.input(slot)); }
  [[nodiscard]] bool writes(size_t slot) const { return bool(node_.output(slot)); }
  [[nodiscard]] Name input(size_t slot) const;
  /// Returns the element type of an input. Errors  refuses when it is not known.
  [[nodiscard]] DataType type(size_t slot) const;
  /// Returns the declared extents of an input, -1 where open, or those of a constant; nullopt when the rank is unknown.
  [[nodiscard]] std::optional<std::vector<int64_t>> shape(size_t slot) const;
  [[nodiscard]] std::optional<size_t> rank(size_t slot) const;
  /// Returns the rank. Errors  refuses when it is unknown, naming the input.
  [[nodiscard]] size_t known_rank(size_t slot) const;
  /// Returns the extent of an axis (negative: from the end); -1 when it is open or the rank is unknown.
  [[nodiscard]] int64_t extent(size_t slot, int64_t axis) const;
  /// Returns the symbol of an open extent; "" without one.
  [[nodiscard]] std::string symbol(size_t slot, size_t axis) const;
  [[nodiscard]] const Tensor* constant(size_t slot) const { return graph_.constant(node_.input(slot)); }

  /// Returns an attribute that counts something: heads, elements. Without it `fallback`.
  /// Errors  refuses negative numbers and those beyond 2^31, whose products would overflow.
  [[nodiscard]] int64_t count(std::string_view attribute, int64_t fallback = 0) const;

  /// Refuse nodes that read an input, write an output or set an attribute to another number.
  void refuse_input(size_t slot, const char* name) const;
  void refuse_output(size_t slot, const char* name) const;
  void refuse_unless(std::string_view attribute, int64_t value) const;

  /// Refuses models of an older opset.
  void need_opset(int64_t version) const;

  /// Adds a node and returns its output, a new value. Errors  refuses opsets without the operator.
  Name add(const std::string& op_type, Names inputs, std::vector<Attribute> attributes = {});
  /// Adds an output to the node that was added last and returns it.
  Name further_output(const std::string& word);
  /// Adds a constant under the prefix and returns its name.
  Name constant_of(const std::string& word, Tensor tensor);
  /// Returns a constant without extents, of a float or integer type.
  Name scalar(double value, DataType type);
  /// Returns a list of int64.
  Name ints(std::vector<int64_t> values);
  /// Makes `value` output `slot` of the node; does nothing when the node leaves it out.
  void write(size_t slot, const Name& value);

  /// Moves nodes and constants to the patch, which removes the expanded node.
  void move_to(GraphPatch& patch);

 private:
  const Graph& graph_;
  const Node& node_;
  const ValueMap<DataType>& types_;
  std::string prefix_;
  std::vector<NodeSpec> nodes_;
  std::vector<std::pair<std::string, Tensor>> constants_;
  std::map<std::string, int> counts_;  // names given, by word
  std::map<std::vector<int64_t>, Name> lists_;
  std::map<std::pair<double, DataType>, Name> scalars_;

  std::map<Name, Name> written_;  // new values that became outputs of the node

  Name named(const std::string& word);
  [[nodiscard]] Name written(const Name& value) const;
};

}  // namespace detent::expand
