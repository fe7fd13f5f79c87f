#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"

namespace detent {

/// A MobileNet with dead channels, which computes the same except for rounding.
///
/// In every inverted residual, Conv -> Clip(0, 6) -> depthwise Conv -> Clip(0, 6) -> 1x1 Conv where each value has one
/// reader, both values between the Convs gain a channel for each constant c. The first Conv makes it from a bias of c
/// and weights of 0; the depthwise kernel passes it on by its middle tap alone, so that padding does not change it; the
/// last Conv reads it with normal random weights of a tenth of the size (root mean square) of its others, and its bias
/// takes their sum back.
struct DeadChannels {
  Model model;
  std::vector<std::string>
      values;  ///< behind the Clip of each depthwise Conv: the new channels hold min(c, 6) everywhere
};

/// constants  above 0; more than 6 becomes 6. The same seed gives the same model.
/// No such block -> an unchanged copy, no values.
[[nodiscard]] DeadChannels with_dead_channels(const Model& model, std::span<const float> constants, uint32_t seed = 1);

}  // namespace detent
