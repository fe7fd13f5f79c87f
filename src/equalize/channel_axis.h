#pragma once

#include <optional>
#include <vector>

#include "model/graph/value_shapes.h"

namespace detent {

/// Returns the axis of output `output` that corresponds to `axis` of the input in `slot`, for a node that keeps
/// channels apart (elementwise operators, pooling, padding, moving). nullopt for other nodes, and when shapes do not
/// tell. An axis that a Concat or Split works on counts as kept.
[[nodiscard]] std::optional<size_t> axis_behind(const Graph& graph, const ValueShapes& shapes, const Node& node,
                                                size_t slot, size_t axis, size_t output = 0);
/// Returns the axis of the input that becomes `axis` of the output.
[[nodiscard]] std::optional<size_t> axis_before(const Graph& graph, const ValueShapes& shapes, const Node& node,
                                                size_t slot, size_t axis, size_t output = 0);

/// Returns the axis that counts channels in the input or output of a weighted op or a normalization; nullopt for other
/// nodes.
[[nodiscard]] std::optional<size_t> channel_axis_read(const Graph& graph, const Node& node, const Shape& shape);
[[nodiscard]] std::optional<size_t> channel_axis_written(const Graph& graph, const Node& node, const Shape& shape);

/// True for a weighted op that equalization can rescale: constant weight in slot 1 (rank 2 for MatMul and Gemm),
/// constant bias.
[[nodiscard]] bool is_rescalable(const Graph& graph, const Node& node);

/// Returns the channel axis of every value; -1 for a value without one. Channels begin at weighted ops and
/// normalizations and spread through nodes that keep them apart.
[[nodiscard]] ValueMap<int> channel_axes(const Graph& graph, const ValueShapes& shapes);

}  // namespace detent
