#pragma once

#include <memory>
#include <span>

#include "datasets/array_fit.h"
#include "detent/data_source.h"

namespace detent {

/// Samples of arrays in memory, one per input, which are named "sample 1" and so on.
/// Errors  InvalidData for another number of arrays than inputs, an array that does not fit its input or holds no samples, and arrays that
///         hold different numbers of samples.
[[nodiscard]] std::unique_ptr<DataSource> open_arrays(std::span<const Tensor> arrays,
                                                      std::span<const FeedInput> inputs);

}  // namespace detent
