#pragma once

#include <vector>

#include "place/draft/draft.h"

namespace detent {

/// The nodes that compute a spectrum which ends in the node `end`, in no order; empty where `end` ends none.
///
/// Backwards from `end`, which is a Log, a root (Sqrt, ReduceL2, Pow with an exponent below 1) or a filterbank (a
/// weighted op whose constants are none of them negative):
///   energies:   sums, constant factors, offsets and floors, roots, filterbanks and what moves data, up to
///   squares:    x * x, x^2, |x|, ReduceSumSquare, ReduceL2, of
///   transforms: STFT, DFT, or a weighted op without bias; what moves or scales its output, and
///   the signal: a graph input, behind what moves, scales, adds and weighs it (padding, framing, pre-emphasis),
///               also divided by its own peak or deviation.
/// So everything from the graph input to the squares is linear. A graph input may take the place of the transform (real
/// and imaginary parts), and in front of a Log that of the squares too, if a filterbank stands between.
///
/// None of it are: variances (a mean is taken), distances (something varying is subtracted, or an offset added, before
/// the square), LogSoftmax and Softplus (Exp), and a norm that its own vector is divided by.
[[nodiscard]] std::vector<NodeId> signal_path(const PlacementDraft& draft, const Node& end);

}  // namespace detent
