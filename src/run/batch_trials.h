#pragma once

#include <cstdint>
#include <span>

#include "model/graph/graph.h"

namespace detent {

// Trials with zeros or random numbers tell of batch axes what shapes do not; a model that cannot run them answers no.
// axes  one per input, kNoBatchAxis for none.

/// True when the model treats `batch` samples on these axes separately: with the first sample replaced, each output
/// changes only in the first slice of an axis of that extent. All sizes are declared.
[[nodiscard]] bool keeps_samples_apart(const Graph& graph, std::span<const int> axes, int64_t batch);

/// True when the model runs on two samples that lie on these axes, with other open extents much larger.
[[nodiscard]] bool runs_on_two_samples(const Graph& graph, std::span<const int> axes);

/// True when these open axes do not count samples:
///
/// runs     the model does not run with an extent of 1 there, and does with a larger one: frames below a window.
/// carried  no output is larger with an extent of 3 than with 1: points that are scattered into a canvas.
/// mixed    of two samples together, the first changes outputs of the second: nodes that edges connect, time steps. Not
///          tried for inputs of more than 65536 elements, nor where numbers of all samples make a scale.
///
/// named  the name of the extent holds "batch": such models may mix samples, as BatchNormalization in training does.
/// False where nothing of it is shown, and where a trial does not run.
[[nodiscard]] bool count_parts_of_a_sample(const Graph& graph, std::span<const int> axes, bool named);

}  // namespace detent
