#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/graph/graph.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// The weight of a layer as a matrix for each group: row r times the input vector of a position is output channel r.
struct LayerMatrix {
  int64_t groups = 1, rows = 0, columns = 0;
  int64_t taps = 1;                                              ///< neighbouring columns of one input channel
  int64_t group_stride = 0, row_stride = 0, channel_stride = 0;  ///< in elements of the weight

  friend bool operator==(const LayerMatrix&, const LayerMatrix&) = default;
  /// Returns where an element lies in the weight.
  [[nodiscard]] int64_t offset(int64_t group, int64_t row, int64_t column) const {
    return group * group_stride + row * row_stride + column / taps * channel_stride + column % taps;
  }
};

/// Returns the matrix of the layer that reads the weight: Conv, ConvTranspose, Gemm, or MatMul with a weight of rank 2
/// on either side. nullopt for others, and where the weight is not constant.
[[nodiscard]] std::optional<LayerMatrix> layer_matrix(const Graph& graph, const WeightDecision& weight);

/// Returns the input vectors of a layer at up to `most` positions (outputs of a convolution, rows of a product), evenly
/// spread over `input`, which has fewer than 2^32. Windows read 0 beyond the input.
///
/// input    Float32, plain layout, as the layer reads it.
/// Returns  groups x positions x columns.
/// Errors   InvalidModel, as the layer itself has them.
[[nodiscard]] std::vector<float> input_vectors(const Graph& graph, const WeightDecision& weight,
                                               const LayerMatrix& matrix, const Tensor& input, int64_t most);

}  // namespace detent
