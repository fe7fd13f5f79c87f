#pragma once

#include <span>
#include <vector>

#include "evaluate/error_sums.h"
#include "run/padding.h"
#include "run/sample_axes.h"

namespace detent {

/// Where the samples lie in each output; empty: in front of every one.
using OutputAxes = std::span<const SampleAxis>;

/// The part of one batch's outputs that counts, plain tensors: the first `real` samples of each output whose samples
/// are told apart, for the rest repeats the last sample. Their axis becomes shorter.
[[nodiscard]] std::vector<Tensor> real_part(std::vector<Tensor> outputs, size_t batch, size_t real, OutputAxes axes);

/// Row `row` of each output, plain tensors that have as many on axis 0: what one sample of a joined batch gives
/// (samples_together).
[[nodiscard]] std::vector<Tensor> row_of(const std::vector<Tensor>& outputs, size_t row);

/// The same numbers with the samples on axis 0, for who reads outputs by their form: [S, N, V] becomes [N, S, V], [S *
/// N, V] too. Outputs of one sample that lie in front stay as they are. A tensor is empty where the samples do not
/// reach the output, and where it is not known which axis counts them: none was found, and not the first axis alone has
/// that extent.
[[nodiscard]] std::vector<Tensor> with_samples_in_front(std::span<const Tensor> outputs, size_t samples,
                                                        OutputAxes axes);

/// Errors of a model's outputs against the float model's, without padding. An output whose type or shape differs,
/// because it depends on the data, gets none and its entry of `comparable` becomes false. content  of the samples that
/// count.
[[nodiscard]] std::vector<ErrorSums> errors_of(const std::vector<Tensor>& expected, const std::vector<Tensor>& outputs,
                                               const BatchContent& content, OutputAxes axes,
                                               std::vector<bool>& comparable);

}  // namespace detent
