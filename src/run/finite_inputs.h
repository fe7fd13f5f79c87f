#pragma once

#include <memory>
#include <span>

#include "detent/base/data_source.h"
#include "model/graph/graph.h"

namespace detent {

/// True when -inf in this graph input is a mask: it reaches only a Softmax, an attention that adds it to its
/// scores, and outputs; through copies, Add and Where.
[[nodiscard]] bool may_mask(const Graph& graph, ValueId input);

/// Returns the same samples; reading one whose float inputs hold NaN or +inf, or -inf where that is no mask, fails: one
/// such number ruins a calibration and hides what it should measure. NaN in an input that an IsNaN reads is what is
/// missing, and with `missing_nan` in every float input.
/// inputs  of the samples, by name inputs of `graph`.
/// Errors of read  InvalidData naming the sample and the input.
[[nodiscard]] std::unique_ptr<DataSource> with_finite_inputs(std::unique_ptr<DataSource> source,
                                                             std::span<const InputSpec> inputs, const Graph& graph,
                                                             bool missing_nan = false);

}  // namespace detent
