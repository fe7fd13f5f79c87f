#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/graph_patch.h"
#include "model/name_source.h"

namespace detent {

/// A union of several patches of one graph, so that one model holds the additions of all: equal constants and equal
/// nodes once. Rewired inputs differ between variants: each variant keeps a list of them.
class PatchUnion {
 public:
  /// A patch as a reading of the united model.
  struct Variant {
    std::vector<GraphPatch::Rewire> rewire;      ///< values by their names in the united model
    std::map<std::string, std::string> renamed;  ///< name in the patched model -> name here, where they differ
    /// Returns the value that the patched model calls `name`.
    [[nodiscard]] const std::string& value(const std::string& name) const;
  };

  /// `graph` must outlive this object.
  explicit PatchUnion(const Graph& graph) : graph_(graph), names_(graph) {}

  /// Adds a patch that adds nodes in execution order and constants, rewires and renames outputs; nothing else.
  /// Errors  Internal for a patch that does more, or leaves a reader of a renamed output; Unsupported when it renames
  /// an output that a subgraph reads.
  [[nodiscard]] Variant add(const GraphPatch& patch);

  /// Returns all additions; nothing reads them.
  [[nodiscard]] const GraphPatch& patch() const { return patch_; }

 private:
  void rename_outputs(const GraphPatch& patch, Variant& variant) const;
  void add_constant(const std::string& name, const Tensor& tensor, Variant& variant);
  void add_node(const NodeSpec& spec, Variant& variant);

  const Graph& graph_;
  GraphPatch patch_;
  NameSource names_;
  std::map<std::string, std::vector<size_t>> constants_;  // by name in the patches: positions in add_initializers
  std::map<std::string, size_t> nodes_;                   // by operator, inputs and attributes: position in add_nodes
};

}  // namespace detent
