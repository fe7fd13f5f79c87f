#pragma once

#include <string>

#include "place/draft/certain_shapes.h"

namespace detent {

/// True for a node that computes floats of floats: a layer for TensorRT. Shapes, indices and constants are computed
/// when the engine is built.
[[nodiscard]] bool is_dla_candidate(const GraphFacts& facts, const Node& node);

/// Returns why DLA cannot run the node, with what to do where there is something; empty when it can, in INT8 or FP16.
/// Sizes that the graph leaves open count as allowed.
[[nodiscard]] std::string dla_obstacle(const GraphFacts& facts, const Node& node, CertainShapes& shapes);

}  // namespace detent
