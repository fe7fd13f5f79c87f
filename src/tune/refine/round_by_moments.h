#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tune/refine/code_grid.h"

namespace detent {

/// Sums of x x^T over input vectors x of a layer: the quadratic form of the output error for an error of the weights.
/// Memory  4 * columns^2 bytes. Sums are floats: the damping of round_by_moments() is far above their error.
class SecondMoments {
 public:
  explicit SecondMoments(int64_t columns)
      : columns_(columns), sums_(static_cast<size_t>(columns) * static_cast<size_t>(columns)) {}

  /// vectors  n x columns, row-major; may be empty. The same calls give the same bits.
  void add(std::span<const float> vectors);

  [[nodiscard]] int64_t columns() const { return columns_; }
  /// columns x columns; element (i, j) lies at j * columns + i. Elements with j > i are not valid.
  [[nodiscard]] std::span<const float> lower() const { return sums_; }

 private:
  int64_t columns_;
  std::vector<float> sums_;
};

/// A weight as rows x columns, row-major: a row makes one output, a column reads one input. Each element has a scale,
/// so scales can be those of rows, tensors or blocks.
struct WeightRows {
  int64_t rows = 0, columns = 0;
  std::vector<float> weights, scales;
  bool any_code = false;  ///< scales are stored beside the codes: every weight may take every code
  /// By column: the column whose products are added to its own in 16 bits (PairOrder), or -1. Empty: sums are exact.
  /// With neighbours every returned pair of codes is safe (is_safe_pair), and the grid is one of integers.
  std::vector<int64_t> neighbours = {};
};

struct RoundedRows {
  std::vector<float> numbers;  ///< rows x columns numbers of the grid, in units of the scale
  std::vector<double> costs;   ///< of each row: e^T H e, or e^T e without usable moments
};

/// Rounds rows by one matrix of moments; see round_by_moments().
class RowRounding {
 public:
  explicit RowRounding(const SecondMoments& moments);
  ~RowRounding();
  RowRounding(const RowRounding&) = delete;
  RowRounding& operator=(const RowRounding&) = delete;
  [[nodiscard]] RoundedRows round(const WeightRows& rows, const CodeGrid& grid) const;

 private:
  class Factor;
  std::unique_ptr<const Factor> factor_;
};

/// Returns codes of symmetric weights (zero point 0) that minimize e^T H e of each row, the error at the layer's
/// output: e is the error of the weights and H the moments, with 1 % of its mean added to the diagonal. Rounds columns
/// one by one, largest diagonal first; each column compensates the errors of those before it as far as their inputs
/// correlate.
///
/// grid     Unless `any_code`, a code without its negative is not used, and a weight whose nearest number is the
///          largest keeps it: the largest weight of a row determines the row's scale.
/// Returns  rows x columns numbers of the grid, in units of the scale. Columns without input, and all columns where H
///          is diagonal, get the nearest.
/// Empty    moments that are all zero or not finite -> the nearest.
/// Cost     columns^3 / 3 + rows * columns^2 operations; twice the memory of the moments.
/// Source   Frantar et al., "GPTQ", 2022, equations 2 and 3, in the form of Chen et al., "The Geometry of LLM
///          Quantization", 2025: Babai's nearest plane on the Cholesky factor of H, so that no inverse is needed.
[[nodiscard]] std::vector<float> round_by_moments(const WeightRows& rows, const CodeGrid& grid,
                                                  const SecondMoments& moments);

}  // namespace detent
