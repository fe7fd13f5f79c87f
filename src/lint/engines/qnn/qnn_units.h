#pragma once

#include <string>

#include "lint/view/pair_view.h"

namespace detent {

/// Returns why the QNN execution provider does not take the node as a unit, in words ("reads 'x' without a
/// DequantizeLinear"); empty when it does, and for nodes that need no pairs: Cast, Shape, an activation that the unit
/// before it includes, and nodes without floats.
[[nodiscard]] std::string qnn_unit_obstacle(const PairView& view, const Node& node);

/// Returns the types of the unit's activations if they are not one ("reads uint8 and writes uint16"); empty otherwise,
/// and for a MatMul, which takes uint8 and uint16 together.
[[nodiscard]] std::string qnn_type_obstacle(const PairView& view, const Node& node);

}  // namespace detent
