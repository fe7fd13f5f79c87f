#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "detent/lint.h"

namespace detent::html {

/// The graph of a report as it is drawn: inputs and outputs of the model are nodes too, and a Cast between floats is a
/// mark on the arcs that leave it.
struct GraphView {
  struct Node {
    std::string op, name;          ///< "Input", "Output" and the value's name for what is no node
    std::optional<NodeType> type;  ///< absent for inputs and outputs
    const PlanReport::Layer* layer = nullptr;
    std::vector<const LintReport::Finding*> findings = {};  ///< that name the node
  };
  struct Arc {
    size_t from = 0, to = 0;  ///< from < to
    std::string value;        ///< that is read, in front of its cast
    const PlanReport::Edge* edge = nullptr;
    std::optional<NodeType> cast = {};  ///< the type that a Cast on the way makes
  };
  std::vector<Node> nodes;  ///< inputs, then in execution order, then outputs
  std::vector<Arc> arcs;    ///< by reader, then slot
};

/// Points into the reports, which must outlive it. A report without a graph gives an empty view.
[[nodiscard]] GraphView view_graph(const PlanReport& plan, const std::vector<LintReport::Finding>& findings);

/// "INT8", "FP16", "BF16", "FP32", "not float"; "" for an input or output.
[[nodiscard]] std::string type_word(const std::optional<NodeType>& type);
/// The class that colours it: "int8", "fp16", "fp32", "other"; "end" for an input or output.
[[nodiscard]] std::string type_class(const std::optional<NodeType>& type);

}  // namespace detent::html
