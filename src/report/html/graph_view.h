#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detent/lint.h"

namespace detent::html {

/// The graph of a report as it is drawn. Inputs and outputs of the model are nodes; a Cast between floats is a mark on
/// the arcs that leave it.
struct GraphView {
  struct Node {
    std::string op, name;          ///< "Input" or "Output" with the value's name, if it is not a node
    std::optional<NodeType> type;  ///< absent for inputs and outputs
    const PlanReport::Layer* layer = nullptr;
    std::vector<const LintReport::Finding*> findings = {};  ///< that name the node
  };
  struct Arc {
    size_t from = 0, to = 0;  ///< from < to
    std::string value;        ///< that is read, before its cast
    const PlanReport::Edge* edge = nullptr;
    std::optional<NodeType> cast = {};  ///< type of a Cast on the way
    std::string_view fate = {};         ///< of its pair in a repair: "kept", "moved", "removed", "added"
  };
  std::vector<Node> nodes;  ///< inputs, then in execution order, then outputs
  std::vector<Arc> arcs;    ///< by reader, then slot
  size_t first = 0;         ///< number of the first node in the page, whose drawings share one numbering
  std::string codes;        ///< the type of codes: "INT8"

  /// Returns the name of a type: of codes the plan's one, "FP16", "BF16", "FP32" or "not float"; "" for an input or
  /// output.
  [[nodiscard]] std::string word(const std::optional<NodeType>& type) const;
};

/// Returns a view that points into the reports, which must outlive it. Without a graph the view is empty.
[[nodiscard]] GraphView view_graph(const PlanReport& plan, const std::vector<LintReport::Finding>& findings);

/// Returns the class that colours it: "int8", "fp16", "fp32", "other"; "end" for an input or output.
[[nodiscard]] std::string type_class(const std::optional<NodeType>& type);

}  // namespace detent::html
