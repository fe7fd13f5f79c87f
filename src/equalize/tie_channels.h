#pragma once

#include <vector>

#include "equalize/channel_axis.h"
#include "equalize/channel_ties.h"

namespace detent {

/// Marks of the node that writes a value, as far as they decide the family of its group.
struct ChannelMarks {
  bool gate = false, product = false, value = false, norm = false, relu = false, act = false;
};

/// Says whether outputs of x * Sigmoid(x) and HardSwish may be multiplied, by a Mul that is added behind them.
enum class ActivationFactors : uint8_t { None, Behind };

/// The channels of a graph that share a factor or keep the factor 1, with the reasons.
struct TiedChannels {
  ValueMap<int> axes;  ///< axis that counts channels; -1: none
  ChannelTies ties;
  ValueMap<ChannelMarks> marks;
  ValueMap<float> limits;  ///< upper bound of a Clip that reads the value; infinity: none
  std::vector<Use> gates;  ///< products x * gate: node, slot of the gate
};

/// Visits every node once: ties the channels that the node passes on, and pins the other channels around it.
[[nodiscard]] TiedChannels tie_channels(const Graph& graph, const ValueShapes& shapes, ActivationFactors activations);

}  // namespace detent
