#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "detent/base/data_source.h"
#include "run/deciding_samples.h"
#include "tune/refine/gather_inputs.h"
#include "tune/refine/layer_matrix.h"
#include "tune/refine/second_moments.h"

namespace detent {

/// Bounds of what weights are rounded by.
inline constexpr int64_t kMostRoundedColumns = 8192;
inline constexpr int64_t kRoundingPositions = 128;  ///< of each batch

/// Samples that moments come from, and others that decide whether rounding by them is kept.
struct RoundingSamples : SampleSplit {
  using SampleSplit::SampleSplit;
  /// At least 4 decide.
  [[nodiscard]] bool enough() const { return deciding.size() >= 4; }
};

/// Of the inputs of one group of the layer, over all readers and samples.
[[nodiscard]] SecondMoments moments_of(const LayerVectors& vectors, const LayerMatrix& matrix, int64_t group);

/// How many of the weights from `first` on have inputs that fit into 128 MiB together, `positions` of each sample; at
/// least one.
[[nodiscard]] size_t group_size(std::span<const RoundedWeight> weights, size_t first, size_t samples,
                                int64_t positions = kRoundingPositions);

/// Calls round(i) for each weight: small layers beside each other, one of 1024 columns or more has the memory for
/// itself.
void for_each_weight(std::span<const RoundedWeight> weights, size_t threads, const std::function<void(size_t)>& round);

}  // namespace detent
