#pragma once

#include <span>
#include <vector>

#include "evaluate/error_sums.h"
#include "run/padding.h"
#include "run/sample_axes.h"

namespace detent {

/// The axes of the samples in each output; empty: axis 0 in all.
using OutputAxes = std::span<const SampleAxis>;

/// Returns the part of one batch's outputs that counts, plain tensors: the first `real` samples of each output that can
/// be split by sample. The rest repeats the last sample.
[[nodiscard]] std::vector<Tensor> real_part(std::vector<Tensor> outputs, size_t batch, size_t real, OutputAxes axes);

/// Returns row `row` of each output, plain tensors with one sample on each index of axis 0 (samples_together).
[[nodiscard]] std::vector<Tensor> row_of(const std::vector<Tensor>& outputs, size_t row);

/// Returns the outputs with the samples on axis 0: [S, N, V] becomes [N, S, V], and so does [S * N, V]. Outputs of one
/// sample with the axis in front stay as they are. A tensor is empty where the output has no samples, or where their
/// axis is not known and cannot be told from the extents.
[[nodiscard]] std::vector<Tensor> with_samples_in_front(std::span<const Tensor> outputs, size_t samples,
                                                        OutputAxes axes);

/// Returns the errors of a model's outputs against the float model's, without padding. An output whose type or shape
/// differs, because it depends on the data, gets none, and its entry of `comparable` becomes false.
/// content   of the samples that count.
/// readings  of the outputs, nullptr where there is none; empty: none at all.
[[nodiscard]] std::vector<ErrorSums> errors_of(const std::vector<Tensor>& expected, const std::vector<Tensor>& outputs,
                                               const BatchContent& content, OutputAxes axes,
                                               std::vector<bool>& comparable,
                                               std::span<const OutputReading* const> readings = {});

}  // namespace detent
