#pragma once

#include <map>
#include <vector>

#include "equalize/channel_axis.h"

namespace detent {

/// One number a channel that is subtracted from a value.
using Shift = std::vector<double>;

/// Where constants go that are subtracted from the channels of a value: through whatever commutes with adding a
/// constant to a channel (moving, pooling, residual adds, Concat, Split), until weighted ops take them into their
/// biases.
class ShiftFlow {
 public:
  /// shapes  of all values, from a run; values without a shape take nothing.
  ShiftFlow(const Graph& graph, const ValueShapes& shapes);

  /// True when everything that reads the value can make up for a shift of it: no padding, no graph output behind it, no
  /// operator that bends, and at every end a constant that can take it.
  [[nodiscard]] bool takes(ValueId value) const { return takes_[static_cast<size_t>(value)]; }
  /// Axis that counts channels of a value; -1: none.
  [[nodiscard]] int axis(ValueId value) const { return axes_[static_cast<size_t>(value)]; }
  /// True when channels of the input in `slot` are those of the node's output, one by one.
  [[nodiscard]] bool keeps_channels(const Node& node, size_t slot, size_t output = 0) const;

  /// True for an Add of a constant that can take one number a channel of the sum.
  [[nodiscard]] bool adds_constant(const Node& node) const;

  /// Adds the shifts of the values behind those that `shifts` holds, as far as nodes pass them on.
  void carry(std::map<ValueId, Shift>& shifts) const;

 private:
  [[nodiscard]] bool can_take(const Node& node, size_t slot) const;
  [[nodiscard]] bool can_pass(const Node& node, size_t slot) const;
  [[nodiscard]] bool reads_without_padding(const Node& node) const;
  [[nodiscard]] int64_t count(ValueId value) const { return shapes_.at(value)[static_cast<size_t>(axis(value))]; }
  [[nodiscard]] bool tracks(ValueId value) const { return value != kNoValue && axis(value) >= 0; }
  [[nodiscard]] bool runs_over_channels(const Node& node, ValueId whole, int64_t default_axis) const;
  [[nodiscard]] Shift joined(const Node& node, const std::map<ValueId, Shift>& shifts) const;
  void split(const Node& node, std::map<ValueId, Shift>& shifts) const;

  const Graph& graph_;
  const ValueShapes& shapes_;
  std::vector<int> axes_;
  std::vector<bool> takes_;  // by ValueId
};

/// Slot of the constant operand of an Add of a value and a constant that can take one number a channel: it has the
/// channels, on the axis `from_right` of its end, or is a single number. nullopt for other nodes.
[[nodiscard]] std::optional<size_t> added_constant(const Graph& graph, const Node& node, size_t from_right,
                                                   int64_t channels);

/// The node, and slot in it, whose constant is added to the output of a weighted op: its own bias, which may be
/// missing, or for a MatMul the constant of the Add that alone reads it. nullopt when there is none that can take one
/// number a channel.
[[nodiscard]] std::optional<Use> bias_behind(const Graph& graph, const Node& node);

}  // namespace detent
