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
  NodeId node{};
  /// "overflow", "inner-sum", "rounding", "cancellation", "constant", "operator", "normalization", "between", "pair",
  /// "bound", "engine" or "user".
  std::string_view rule;
  MaybeValue value;     ///< the value that decides; kNoValue when the operator does
  double measured = 0;  ///< its size, in the unit that `reason` names
  std::string reason;   ///< in words, never empty
};

/// Nodes that a measurement, the engine or the user keeps in FP32, by name: the measured number in dB and the reason in
/// words.
struct ForcedReason {
  double measured = 0;
  std::string reason;
  std::string_view rule = "bound";  ///< "bound", "engine" or "user"

  bool operator==(const ForcedReason&) const = default;
};
using ForcedFloat32 = std::map<std::string, ForcedReason>;

/// The type in which each node of a float model computes.
struct FloatPlan {
  FloatFormat format;
  NodeMap<DataType> types;                 ///< format.type or Float32; Undefined for nodes that touch no Float32 value
  std::vector<FloatException> exceptions;  ///< in node order, one a node: the first rule that applies

  [[nodiscard]] DataType type_of(NodeId node) const { return types[node]; }
};

}  // namespace detent
