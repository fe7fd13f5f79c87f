#pragma once

#include <memory>

#include "detent/data_source.h"

namespace detent {

/// Applies shuffle, limit and shard, in this order; sample.index becomes the position after them.
///
/// Shuffle: Fisher-Yates over SplitMix64(seed), the same order on every machine. Shard I/N keeps every N-th group of
/// `source->batch()` consecutive samples from the I-th on, an incomplete last group included.
/// Errors  Usage for a shard that is not 1 <= I <= N; InvalidData when no sample is left.
[[nodiscard]] std::unique_ptr<DataSource> select_samples(std::unique_ptr<DataSource> source,
                                                         const DataOptions& options);

}  // namespace detent
