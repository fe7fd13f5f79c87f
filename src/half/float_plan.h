#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "half/float_format.h"
#include "model/graph/graph.h"

namespace detent {

/// A node that stays in FP32, and why.
struct FloatException {
  NodeId node = kNoNode;
  std::string_view rule;  ///< "overflow", "inner-sum", "rounding", "constant", "operator", "normalization", "between"
  ValueId value = kNoValue;  ///< the value that decides; kNoValue where the operator does
  double measured = 0;       ///< what it reaches, in the unit that `reason` names
  std::string reason;        ///< in words, never empty
};

/// How much room a measured |max| is given: other inputs reach farther than those at hand.
inline constexpr double kHeadroom = 2;

/// Which nodes of a float model compute in a 16-bit type.
struct FloatPlan {
  FloatFormat format;
  /// By node id: format.type or Float32; Undefined for nodes that touch no Float32 value.
  std::vector<DataType> types;
  std::vector<FloatException> exceptions;  ///< in node order, one a node: the first rule that speaks

  [[nodiscard]] DataType type_of(NodeId node) const { return types[static_cast<size_t>(node)]; }
};

}  // namespace detent
