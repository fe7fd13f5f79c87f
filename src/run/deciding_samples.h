#pragma once

#include <vector>

#include "detent/base/data_source.h"

namespace detent {

/// Channels are measured on as many samples as a short pass allows: one that fires on one image in a hundred would be
/// taken for a small one.
inline constexpr size_t kRangeSamples = 256;
/// Candidates that are judged on the deciding samples are measured on this many others.
inline constexpr size_t kMeasuringSamples = 64;

/// The samples that decide: 32, those whose names have the smallest hash.
[[nodiscard]] std::vector<size_t> deciding_samples(const DataSource& source);
/// Up to `most` others, to measure with what the deciding ones judge: factors and ranges cut to the judged samples
/// would flatter even channels, all of which come near their largest. Fewer than 8 others -> the deciding ones.
[[nodiscard]] std::vector<size_t> samples_beside_deciding(const DataSource& source, size_t most);

/// Samples that something is measured on, and others that decide whether it is kept.
struct SampleSplit {
  std::vector<size_t> measuring, deciding;

  /// Up to 64 beside the deciding ones; where there are too few for both, half of them each.
  explicit SampleSplit(const DataSource& source);
};

}  // namespace detent
