#pragma once

#include <memory>
#include <span>
#include <vector>

#include "datasets/array_fit.h"
#include "detent/data_source.h"

namespace detent {

/// The inputs with their batch axes; where a spec tells none, axis 0 when its extent is open, 1, or the same in all inputs.
[[nodiscard]] std::vector<FeedInput> feed_inputs(std::span<const InputSpec> inputs);

/// `source`, whose samples and batch say how they are joined.
[[nodiscard]] std::unique_ptr<DataSource> with_batch_layout(std::unique_ptr<DataSource> source,
                                                            std::span<const InputSpec> inputs);

}  // namespace detent
