#pragma once

#include <limits>
#include <vector>

#include "equalize/choose_factors.h"
#include "equalize/shift_flow.h"

namespace detent {

/// An activation y = act(z) that is the identity above 0, or between 0 and `high`: where a channel of z stays at or
/// above a constant c >= 0, act(z) = act(z - c) + c. What makes z can subtract c, and everything that reads y can make
/// up for it.
struct Absorbable {
  ValueId activation = kNoValue;  ///< y
  ValueId made =
      kNoValue;  ///< what the subtracting node writes: z, or for a residual add before the activation its operand
  int axis = 1;  ///< of y, that counts channels
  float high = std::numeric_limits<float>::infinity();  ///< upper bound of a Clip
};

/// Up to where the node is the identity above 0: infinity for Relu, and for LeakyRelu and PRelu with slopes >= 0; the
/// upper bound of a Clip from 0 or below. nullopt for other nodes.
[[nodiscard]] std::optional<float> identity_up_to(const Graph& graph, const Node& node);

/// Every such activation whose input nothing else reads, in the order of the graph, behind a weighted op, an Add of a
/// constant, or a residual add of one of these.
[[nodiscard]] std::vector<Absorbable> find_absorbable(const Graph& graph, const ShiftFlow& flow);

/// Shifts of every value that changes; empty when no value would get smaller.
///
/// A channel seen in [low, high] loses c = low - (high - low) / 2, where that is positive: twice as far from the middle
/// as anything seen. Data below c give the result of c. Of normal numbers that is 5.6 standard deviations below the
/// mean when 256 were seen, 3.5 when 16 were; Nagel et al. subtract 3. A channel keeps all when high comes as near to
/// the bound of a Clip, or when c is less than a step of the value in 8 bits (largest / 127). A value keeps all when
/// its largest element would not fall by a step: one scale serves all its channels.
///
/// ranges  of every `activation`.
/// Source  Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction", 2019, section 4.1.3,
/// with extremes that were measured in place of those that batch normalization promises.
[[nodiscard]] Shifts choose_shifts(const Graph& graph, const ValueShapes& shapes, const ShiftFlow& flow,
                                   const std::vector<Absorbable>& absorbable, const ChannelRanges& ranges);

}  // namespace detent
