#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"

namespace detent {

/// A MobileNet with dead channels: what the model computes stays, but for rounding.
///
/// In every inverted residual, Conv -> Clip(0, 6) -> depthwise Conv -> Clip(0, 6) -> 1x1 Conv where each value has one
/// reader, both values between the Convs gain a channel for each constant c. The first Conv makes it from a bias of c
/// and weights of 0; the depthwise kernel hands it on by its middle tap alone, so that padding does not change it; the
/// last Conv reads it with normal random weights of a tenth of the size (root mean square) of its others, and what they
/// add is taken off its bias.
struct DeadChannels {
  Model model;
  std::vector<std::string>
      values;  ///< behind the Clip of each depthwise Conv: the new channels hold min(c, 6) everywhere
};

/// constants  above 0; more than 6 becomes 6. The same seed gives the same model.
/// No such block -> an unchanged copy, no values.
[[nodiscard]] DeadChannels with_dead_channels(const Model& model, std::span<const float> constants, uint32_t seed = 1);

}  // namespace detent
