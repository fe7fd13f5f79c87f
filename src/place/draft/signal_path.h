#pragma once

#include <vector>

#include "place/draft/graph_facts.h"

namespace detent {

/// Returns the nodes that compute a spectrum that ends in the node `end`, in no order; empty when `end` ends none.
///
/// Backwards from `end`, which is a Log, a root (Sqrt, ReduceL2, Pow with an exponent below 1) or a filterbank (a
/// weighted op without negative constants):
///   energies:   sums, constant factors, offsets and floors, roots, filterbanks and data movement, up to
///   squares:    x * x, x^2, |x|, ReduceSumSquare, ReduceL2, of
///   transforms: STFT, DFT, or a weighted op without bias; data movement or scaling behind it, and
///   the signal: a graph input, behind operators that move, scale, add and weigh it (padding, framing, pre-emphasis),
///   also divided by its peak or deviation.
/// Everything from the graph input to the squares is therefore linear. A graph input may replace the transform (real
/// and imaginary parts), and before a Log also the squares, if a filterbank stands between.
///
/// Not included: variances (a mean is taken), distances (something varying is subtracted, or an offset added, before
/// the square), LogSoftmax and Softplus (Exp), and a norm that divides its vector.
[[nodiscard]] std::vector<NodeId> signal_path(const GraphFacts& facts, const Node& end);

}  // namespace detent
