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
  std::string domain;  ///< imported at version 1 where the model does not import it
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
    std::string value;  ///< the value that the slot reads
  };
  std::vector<Rewire> rewire;
  struct RenameOutput {
    std::string node;  ///< producer
    int slot;
    std::string value;  ///< the value that the slot writes
  };
  std::vector<RenameOutput> rename_outputs;
  std::vector<std::pair<std::string, Tensor>> replace_constants;  ///< new content, initializer or Constant node alike
  struct SetAttribute {
    std::string node;
    Attribute attribute;
  };
  std::vector<SetAttribute> set_attributes;
  std::vector<std::pair<std::string, std::string>> remove_attributes;  ///< (node, attribute)
  /// New element types of values that the model declares (inputs, outputs, value_info); other names are ignored.
  std::vector<std::pair<std::string, DataType>> set_types;
  std::optional<int64_t> opset;      ///< new version of the default domain
  std::optional<int64_t> newest_ir;  ///< lowers a newer ir_version

  [[nodiscard]] bool empty() const;
};

/// Returns the ir_version of the release of ONNX that brought an opset; 0 below opset 7.
/// Source  ONNX docs/Versioning.md, "Released Versions"
[[nodiscard]] int64_t ir_of_opset(int64_t opset);

/// Joins two patches that replace different constants and change nothing else. Empty where both are.
[[nodiscard]] GraphPatch joined(const GraphPatch& constants, const GraphPatch& others);

/// Applies `patch` to the main graph. Removes initializers and Constant nodes without a reader, and value_info of
/// values that no longer exist; raises ir_version where the new opset needs it. Errors  Internal naming patch.reason
/// when the patch refers to something that does not exist, defines a value twice or leaves the graph invalid; the model
/// stays unchanged.
void apply_patch(Model& model, const GraphPatch& patch);

/// Checks the structure: every read value is defined, defined once, no cycle, outputs exist, names are unique.
/// Errors  InvalidModel with node and value.
void check_graph(const Model& model);

}  // namespace detent
