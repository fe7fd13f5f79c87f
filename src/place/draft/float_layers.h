#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "place/plan/placement_plan.h"

namespace detent {

/// Returns the number of elements of a constant; 0 for every other value and for kNoValue.
[[nodiscard]] int64_t constant_elements(const Graph& graph, MaybeValue value);

/// Weighted and recurrent operators inside the graphs that a node holds (If, Loop, Scan), at any depth.
struct InnerLayers {
  size_t layers = 0;
  int64_t params = 0;  ///< elements of their constant weights and biases
};
[[nodiscard]] InnerLayers inner_layers(const Node& node);

/// Returns the decision for a node with weights that rules for most engines cannot quantize: a recurrent one, or one
/// with layers inside.
/// nullopt for every other node. Its MACs are not counted yet.
[[nodiscard]] std::optional<LayerDecision> float_layer(const Graph& graph, const Node& node);

/// Returns "If 'choose': 3 layers (1024 parameters) inside its branches stay float; ..."; empty for a node without
/// layers inside.
[[nodiscard]] std::string inner_layers_text(const Node& node);

/// Returns "'/fc' has FLOAT64 weights, and no engine computes such layers in INT8: ..." for codes called `codes`; empty
/// for a graph without such layers.
[[nodiscard]] std::string float64_text(const Graph& graph, std::string_view codes);

}  // namespace detent
