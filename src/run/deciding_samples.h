#pragma once

#include <vector>

#include "detent/base/data_source.h"

namespace detent {

/// Returns the samples that decide: the 32 whose names have the smallest hash.
[[nodiscard]] std::vector<size_t> deciding_samples(const DataSource& source);
/// Returns up to `most` others, to measure what the deciding samples judge: factors and ranges measured on the judged
/// samples would look too good. Fewer than 8 others -> the deciding ones.
[[nodiscard]] std::vector<size_t> samples_beside_deciding(const DataSource& source, size_t most);

/// Samples for measuring, and others that decide whether the result is kept.
struct SampleSplit {
  std::vector<size_t> measuring, deciding;

  /// Takes up to 64 beside the deciding ones; half of the samples each where there are too few.
  explicit SampleSplit(const DataSource& source);
};

}  // namespace detent
