#pragma once

#include <map>
#include <vector>

#include "equalize/channel_range.h"
#include "equalize/find_groups.h"

namespace detent {

/// Options of choose_factors.
struct FactorOptions {
  double alpha = 0.5;               ///< 1: activations alone decide, 0: weights alone
  bool per_tensor_weights = false;  ///< one scale for a whole weight: differences between its rows count too
  bool powers_of_two = false;       ///< factors that cause no rounding, neither in weights nor in activations
  double least_imbalance = 0;       ///< groups whose stored members are all more even (imbalance()) are left alone
  BranchedValues branched = BranchedValues::Normalized;
  bool branches = false;  ///< `--equalize auto` tries EqualizeFamily::Branch: its Mul costs no time
};

/// Largest factor; the smallest is 1/kMostFactor.
inline constexpr double kMostFactor = 64;

/// Chooses factors 1/s with s_c = amax_c^alpha / wmax_c^(1 - alpha), of geometric mean 1 in each group. In a group with
/// fixed channels their factors are 1 on average.
///
/// amax_c  the largest magnitude of the channel in a stored member, relative to the member's largest; at least the
/// median of the group, because a channel that is active on few samples looks small on those that were seen.
/// wmax_c  the largest magnitude by which a weighted op multiplies the channel; with a scale for each output channel,
/// relative to the largest of that output channel. A reader with one input channel for each output channel takes any
/// factor: when all readers are such, alpha is 1.
/// A channel that was always 0, or that no weight reads, keeps the factor 1. A channel before a Clip stays below the
/// bound, with a margin for unseen data, and keeps the factor 1 when the data came near the bound.
/// ranges  of every stored member and every member before a Clip
/// Source  Xiao et al., "SmoothQuant", 2022, equation 4; Nagel et al., "Data-Free Quantization Through Weight
/// Equalization and Bias Correction", 2019, section 4.1 (per-tensor weights).
[[nodiscard]] Equalization choose_factors(const Graph& graph, const std::vector<ChannelGroup>& groups,
                                          const ChannelRanges& ranges, const FactorOptions& options);

/// Returns the values whose channel ranges choose_factors needs, with the axis that counts channels.
[[nodiscard]] std::map<ValueId, int> values_to_range(const std::vector<ChannelGroup>& groups);

/// Returns the largest magnitude of the channels over the median, each multiplied by its factor if `factors` are given.
/// Channels of zeros are left out. 1 when all are equal.
[[nodiscard]] double imbalance(const ChannelRange& range, const std::vector<float>& factors = {});

}  // namespace detent
