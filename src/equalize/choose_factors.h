#pragma once

#include <map>
#include <vector>

#include "equalize/channel_range.h"
#include "equalize/find_groups.h"

namespace detent {

struct FactorOptions {
  double alpha = 0.5;               ///< 1: activations alone decide, 0: weights alone
  bool per_tensor_weights = false;  ///< one scale for a whole weight: differences between its rows count too
  bool powers_of_two = false;       ///< factors that round nothing, neither in weights nor in activations
};

/// Factors are kept within 1/kMostFactor ... kMostFactor.
inline constexpr double kMostFactor = 64;

/// Factors 1/s with s_c = amax_c^alpha / wmax_c^(1 - alpha), of geometric mean 1 in each group, or 1 on average of the
/// channels that must stay as they are where a group has some.
///
/// amax_c  the largest magnitude of the channel in a member that is stored, relative to the member's largest; at least
///         the median of the group, for a channel that fires on few samples looks small on those that were seen.
/// wmax_c  the largest magnitude that a weighted op multiplies the channel by; with a scale for each output channel
///         relative to the largest of that output channel. A reader that has one input channel for each output channel
///         then bends to any factor: where all readers are such, alpha is 1.
/// A channel that was never anything but 0, or that no weight reads, keeps the factor 1. A channel before a Clip keeps
/// within the bound, with a margin for data that were not seen, and is left alone where the data came near it.
/// ranges  of every member that is stored and of those before a Clip.
/// Source  Xiao et al., "SmoothQuant", 2022, equation 4; Nagel et al., "Data-Free Quantization Through Weight
/// Equalization and Bias Correction", 2019, section 4.1 (per-tensor weights).
[[nodiscard]] Equalization choose_factors(const Graph& graph, const std::vector<ChannelGroup>& groups,
                                          const ChannelRanges& ranges, const FactorOptions& options);

/// Values whose channel ranges choose_factors needs, with the axis that counts channels.
[[nodiscard]] std::map<ValueId, int> values_to_range(const std::vector<ChannelGroup>& groups);

/// Largest over median of the magnitudes of the channels, multiplied by `factors` where there are any; those of only
/// zeros are left out. 1 when all are alike.
[[nodiscard]] double imbalance(const ChannelRange& range, const std::vector<float>& factors = {});

}  // namespace detent
