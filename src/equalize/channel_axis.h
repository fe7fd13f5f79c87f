#pragma once

#include <optional>
#include <vector>

#include "model/graph/value_shapes.h"

namespace detent {

/// Where axis `axis` of the input in `slot` lies in output `output` of a node that keeps channels apart: element-wise
/// operators, pooling, padding, moving. nullopt when the node does not, or shapes do not tell.
/// An axis that a Concat or Split works on counts as kept.
[[nodiscard]] std::optional<size_t> axis_behind(const Graph& graph, const ValueShapes& shapes, const Node& node,
                                                size_t slot, size_t axis, size_t output = 0);
/// The inverse: the axis of the input that becomes `axis` of the output.
[[nodiscard]] std::optional<size_t> axis_before(const Graph& graph, const ValueShapes& shapes, const Node& node,
                                                size_t slot, size_t axis, size_t output = 0);

/// Axis that counts channels of the input or output of a weighted op or a normalization; nullopt for other nodes.
[[nodiscard]] std::optional<size_t> channel_axis_read(const Graph& graph, const Node& node, const Shape& shape);
[[nodiscard]] std::optional<size_t> channel_axis_written(const Graph& graph, const Node& node, const Shape& shape);

/// A weighted op as equalization can rescale it: constant weight in slot 1 (rank 2 for MatMul and Gemm), constant bias.
[[nodiscard]] bool is_rescalable(const Graph& graph, const Node& node);

/// Axis of every value that has one; -1 elsewhere. Channels begin at weighted ops and normalizations and go
/// from there wherever they are kept apart.
[[nodiscard]] ValueMap<int> channel_axes(const Graph& graph, const ValueShapes& shapes);

}  // namespace detent
