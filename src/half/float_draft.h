#pragma once

#include <map>
#include <optional>
#include <string>

#include "half/float_plan.h"
#include "half/magnifies_zero.h"
#include "half/value_reach.h"
#include "ops/op_kind.h"

namespace detent {

/// A float plan while the rules write it.
class FloatDraft {
 public:
  FloatDraft(const Graph& graph, const FloatFormat& format, const ValueReaches& reaches);

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const FloatFormat& format() const { return format_; }
  [[nodiscard]] OpKind kind(const Node& node) const;

  /// nullptr for values that are no Float32, and for constants.
  [[nodiscard]] const ValueReach* reach(ValueId value) const;
  /// True for what was measured as Float32 and for constants of that type.
  [[nodiscard]] bool is_float(ValueId value) const;
  /// Elements in the largest sample; 1 where the value was not measured.
  [[nodiscard]] int64_t elements(ValueId value) const;
  /// True for a node that reads or makes a Float32 value.
  [[nodiscard]] bool concerns(const Node& node) const;

  [[nodiscard]] bool is_kept(NodeId node) const { return kept_.contains(node); }
  /// The node stays FP32; the first reason holds.
  void keep(FloatException exception);
  /// The nodes that make and read a value stay FP32.
  void keep_around(ValueId value, const FloatException& why);

  [[nodiscard]] FloatPlan take();

 private:
  const Graph& graph_;
  FloatFormat format_;
  const ValueReaches& reaches_;
  std::map<NodeId, FloatException> kept_;
};

/// "'x' reaches 71234"
[[nodiscard]] std::string reaches_text(const Graph& graph, ValueId value, double amax);

}  // namespace detent
