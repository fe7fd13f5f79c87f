#pragma once

#include "model/graph/value_shapes.h"
#include "observe/float_reach.h"

namespace detent {

/// Returns a bound of |x| for every Float32 value, without running a sample: `amax` and `mean_abs` hold it, and are
/// infinite where nothing bounds the value; the counts are 0.
///
///     DequantizeLinear         scale * largest |code - zero point| of the type, or of the codes if they are constant
///     read by QuantizeLinear   the same, if that is less and nothing else reads the value: numbers beyond it give the
///                              same code
///     Conv, Gemm, MatMul       bound of the input * largest sum of |w| over the weights of an output, + bias
///     other operators          the table in bound_of_node.cpp
///
/// shapes  sizes of values; a sum over a size that is not in it has no bound
///         A value of unknown type counts as Float32 behind a node that cannot run.
[[nodiscard]] ValueReaches bound_reaches(const Graph& graph, const ValueShapes& shapes);

/// Returns the reaches with those of bound_reaches() for values behind a node that cannot run, which no sample reaches.
[[nodiscard]] ValueReaches with_unreached(const Graph& graph, ValueReaches reaches);

}  // namespace detent
