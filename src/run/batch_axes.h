#pragma once

#include <span>
#include <vector>

#include "datasets/sample_request.h"
#include "model/graph/graph.h"

namespace detent {

/// Finds the batch axis of each graph input, kNoBatchAxis for none. In this order:
///
/// named     by the user; the symbol found there names the batch of the other inputs too.
/// symbols   the axis that carries batch_symbol().
/// extents   an open extent or 1 in front; the only open extent or 1 behind a fixed front, as in states
///           [layers, ?, hidden], beside an input whose batch is open; an input of one open axis alone is one sample.
///           Of two readings of states, the one that runs. Open axes are none where trials show that they
///           count_parts_of_a_sample().
/// trials    an extent above 1 that all inputs fix, where the model keeps_samples_apart() on it; otherwise a sample is
///           the whole input.
///
/// Errors  InvalidOption for an input or an axis that the model does not have.
[[nodiscard]] std::vector<int> find_batch_axes(const Graph& graph, std::span<const NamedAxis> named);

/// True where the name of an open extent says that it is the batch: it holds "batch".
[[nodiscard]] bool names_its_batch(const Graph& graph);

}  // namespace detent
