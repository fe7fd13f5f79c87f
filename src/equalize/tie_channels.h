#pragma once

#include <vector>

#include "equalize/channel_axis.h"
#include "equalize/channel_ties.h"

namespace detent {

/// Marks of the node that writes a value, as far as they decide the family of its group.
struct ChannelMarks {
  bool gate = false, norm = false, relu = false, act = false;
};

/// Whether the outputs of x * Sigmoid(x) and HardSwish may be multiplied, by a Mul that is added behind them.
enum class ActivationFactors : uint8_t { None, Behind };

/// Which channels of a graph must have the same factor, which must stay, and why.
struct TiedChannels {
  ValueMap<int> axes;  ///< axis that counts channels; -1: none
  ChannelTies ties;
  ValueMap<ChannelMarks> marks;
  ValueMap<float> limits;  ///< upper bound of a Clip that reads the value; infinity: none
  std::vector<Use> gates;  ///< products x * gate: node, slot of the gate
};

/// Looks at every node once: it ties the channels that it passes on, and pins those around it that it does not account
/// for.
[[nodiscard]] TiedChannels tie_channels(const Graph& graph, const ValueShapes& shapes, ActivationFactors activations);

}  // namespace detent
