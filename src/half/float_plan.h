#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "half/float_format.h"
#include "model/graph/graph.h"

namespace detent {

/// A node that stays in FP32, and why.
struct FloatException {
  NodeId node = kNoNode;
  std::string_view
      rule;  ///< "overflow", "inner-sum", "rounding", "constant", "operator", "normalization", "between", "bound"
  ValueId value = kNoValue;  ///< the value that decides; kNoValue where the operator does
  double measured = 0;       ///< what it reaches, in the unit that `reason` names
  std::string reason;        ///< in words, never empty
};

/// Nodes by name that a measurement wants in FP32, with what it found in dB and the words for it.
struct ForcedReason {
  double measured = 0;
  std::string reason;

  bool operator==(const ForcedReason&) const = default;
};
using ForcedFloat32 = std::map<std::string, ForcedReason>;

/// Which nodes of a float model compute in a 16-bit type.
struct FloatPlan {
  FloatFormat format;
  NodeMap<DataType> types;                 ///< format.type or Float32; Undefined for nodes that touch no Float32 value
  std::vector<FloatException> exceptions;  ///< in node order, one a node: the first rule that speaks

  [[nodiscard]] DataType type_of(NodeId node) const { return types[node]; }
};

}  // namespace detent
