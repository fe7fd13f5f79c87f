#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tune/refine/code_grid.h"
#include "tune/refine/second_moments.h"

namespace detent {

/// A weight as rows x columns, row-major: a row makes one output, a column reads one input. Scales are given by
/// element, so that rows, tensors and blocks can have their own.
struct WeightRows {
  int64_t rows = 0, columns = 0;
  std::vector<float> weights, scales;
  bool any_code = false;  ///< scales are stored beside the codes: every code may be taken, by every weight
  /// By column: the one whose products are added to its own in 16 bits (PairOrder), or -1. Empty: sums are exact. With
  /// neighbours every pair of codes that is returned is safe (is_safe_pair), and the grid is that of whole numbers.
  std::vector<int64_t> neighbours = {};
};

struct RoundedRows {
  std::vector<float> numbers;  ///< rows x columns, of the grid, in units of the scale
  std::vector<double> costs;   ///< of each row: e^T H e, or e^T e where there is nothing to round by
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

/// Codes of symmetric weights (zero point 0) that keep the layer's outputs near those of the float weights, not the
/// weights themselves: a row's cost is e^T H e, where e is the error of its weights and H the moments, to whose
/// diagonal 1 % of its mean is added. Columns are rounded one by one, the largest of the diagonal first; each takes
/// over what the rounding of those before it cost, as far as its input is like theirs.
///
/// grid     what codes stand for. Unless `any_code`, one without its negative is not used, and a weight whose nearest
/// number is the
///          largest keeps it: the largest weight of a row carries the row's scale.
/// Returns  rows x columns numbers of the grid, in units of the scale. A column that no input reached, and all columns
/// where H is
///          diagonal, get the nearest.
/// Empty    moments that are all zero or not finite -> the nearest.
/// Cost     columns^3 / 3 + rows * columns^2 operations; twice the memory of the moments.
/// Source   Frantar et al., "GPTQ", 2022, equations 2 and 3, in the form of Chen et al., "The Geometry of LLM
/// Quantization", 2025:
///          Babai's nearest plane on the Cholesky factor of H, so that no inverse is needed.
[[nodiscard]] std::vector<float> round_by_moments(const WeightRows& rows, const CodeGrid& grid,
                                                  const SecondMoments& moments);

}  // namespace detent
