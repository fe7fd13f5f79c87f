#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "half/float_plan.h"
#include "half/magnifies_zero.h"
#include "half/value_reach.h"
#include "ops/op_kind.h"

namespace detent {

/// A float plan while the rules write it.
class FloatDraft {
 public:
  FloatDraft(const Graph& graph, const FloatFormat& format, const ValueReaches& reaches)
      : graph_(graph), format_(format), reaches_(reaches) {}

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const FloatFormat& format() const { return format_; }
  [[nodiscard]] OpKind kind(const Node& node) const;

  /// Returns nullptr for constants and for values that are not Float32.
  [[nodiscard]] const ValueReach* reach(MaybeValue value) const;
  /// True for a value measured as Float32 and for a constant of that type.
  [[nodiscard]] bool is_float(MaybeValue value) const;
  /// Returns the elements in the largest sample; 1 when the value was not measured.
  [[nodiscard]] int64_t elements(MaybeValue value) const;
  /// True for a Cast of another type to a graph output, which stays as it is.
  [[nodiscard]] bool makes_output(const Node& node) const;
  /// True for a node that reads or writes a Float32 value, except Constant and the Casts of makes_output().
  [[nodiscard]] bool concerns(const Node& node) const;

  [[nodiscard]] bool is_kept(NodeId node) const { return kept_.contains(node); }
  /// Keeps the node in FP32; the first reason holds.
  void keep(FloatException exception);
  /// Keeps the nodes that write and read a value in FP32.
  void keep_around(ValueId value, const FloatException& why);

  [[nodiscard]] FloatPlan take();

 private:
  const Graph& graph_;
  FloatFormat format_;
  const ValueReaches& reaches_;
  std::map<NodeId, FloatException> kept_;
};

/// Keeps nodes in FP32 that a 16-bit type would ruin.
using FloatRule = void (*)(FloatDraft& draft);

/// Returns the rules in their order; of several reasons the first is named.
[[nodiscard]] std::span<const FloatRule> float_rules();

namespace half {

/// Keeps operators that have no 16-bit form, hold graphs or name their output's type, and values that If, Loop and
/// Scan bodies read.
void operators(FloatDraft& draft);
/// Keeps the nodes around a value that exceeds the type's range with headroom.
void overflow(FloatDraft& draft);
/// Keeps reductions whose sum overflows: an engine may hold it in the type of the operands.
void inner_sums(FloatDraft& draft);
/// Keeps the nodes around a value whose rounding loses too much, or becomes 0 before a division, root or logarithm.
void rounding(FloatDraft& draft);
/// Keeps differences of nearly equal numbers, and the nodes that make those: rounding leaves too little of the rest.
void cancellation(FloatDraft& draft);
/// Keeps the readers of constants that become infinite, vanish or lose too much precision.
void constants(FloatDraft& draft);
/// Keeps a normalization written out as primitives whole when a part of it stays FP32.
void normalizations(FloatDraft& draft);
/// Keeps copies between nodes that stay FP32: casts around them would gain nothing.
void between(FloatDraft& draft);
/// Keeps QuantizeLinear whose input is FP32, and DequantizeLinear that only FP32 reads.
void pairs(FloatDraft& draft);

}  // namespace half
}  // namespace detent
