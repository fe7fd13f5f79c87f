#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// How a model runs tells what its shapes do not. Trials take zeros or random numbers; a model that cannot run them answers no.

/// True when the model treats `batch` samples on these axes (one per input, kNoBatchAxis for none) apart from each other: with the first
/// sample replaced, each output changes only in the first slice of an axis of that extent. All sizes are declared.
[[nodiscard]] bool keeps_samples_apart(const Graph& graph, std::span<const int> axes, int64_t batch);

/// True when the model runs on two samples that lie on these axes, with other open extents much larger.
[[nodiscard]] bool runs_on_two_samples(const Graph& graph, std::span<const int> axes);

}  // namespace detent
