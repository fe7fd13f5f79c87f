#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"

namespace detent {

/// A node to be added, by value names. Empty string = left-out optional input or output.
struct NodeSpec {
  std::string op_type;
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;
  std::string domain;
};

/// A change of the main graph, as a value. Applied in one place, checked before and after, all or nothing.
struct GraphPatch {
  std::string reason;               ///< for messages: "fold BatchNormalization 'bn1'"
  std::vector<NodeSpec> add_nodes;  ///< inserted where the topological order allows
  std::vector<std::pair<std::string, Tensor>> add_initializers;
  std::vector<std::string> remove_nodes;  ///< by node name (OP_index for unnamed ones)
  struct Rewire {
    std::string node;  ///< consumer
    int slot;
    std::string value;  ///< what the slot reads from now on
  };
  std::vector<Rewire> rewire;
  struct RenameOutput {
    std::string node;  ///< producer
    int slot;
    std::string value;  ///< what the slot writes from now on
  };
  std::vector<RenameOutput> rename_outputs;
  std::vector<std::pair<std::string, Tensor>> replace_constants;  ///< new content, initializer or Constant node alike
  struct SetAttribute {
    std::string node;
    Attribute attribute;
  };
  std::vector<SetAttribute> set_attributes;
  std::vector<std::pair<std::string, std::string>> remove_attributes;  ///< (node, attribute)
  /// New element types of values that the model declares (inputs, outputs, value_info); of others nothing is said.
  std::vector<std::pair<std::string, DataType>> set_types;
  std::optional<int64_t> opset;  ///< new version of the default domain

  [[nodiscard]] bool empty() const;
};

/// Both, which replace different constants and do nothing else. Empty where both are.
[[nodiscard]] GraphPatch joined(const GraphPatch& constants, const GraphPatch& others);

/// Applies `patch` to the main graph. Initializers and Constant nodes that nothing reads any more are removed;
/// value_info of values that no longer exist is removed; ir_version is raised where the new opset needs it.
/// Errors  Internal naming patch.reason when the patch refers to something that does not exist, defines a value twice
/// or leaves the graph invalid; the model is unchanged then.
void apply_patch(Model& model, const GraphPatch& patch);

/// Structural checks: every read value is defined, defined once, acyclic, outputs exist, names unique.
/// Errors  InvalidModel with node and value.
void check_graph(const Model& model);

}  // namespace detent
