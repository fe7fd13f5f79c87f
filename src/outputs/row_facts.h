#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace detent {

/// Sums over rows of an output, of the float model, which tell scores of classes from other numbers. A row holds the
/// numbers along one axis.
struct RowFacts {
  int64_t rows = 0;
  int64_t undecided = 0;            ///< rows whose highest number leads by less than a tenth of the row's deviation
  double lead = 0, trough = 0;      ///< distance of the highest, and of the lowest, number to the next; see mean_lead()
  double sums = 0, squares = 0;     ///< squares of the rows' sums; squares of all numbers
  double likeness = 0, spread = 0;  ///< products of neighbours about the row's mean; squares about it

  /// Adds one row. Rows with a number that is not finite, and of less than two numbers, are left out.
  void add(std::span<const float> row);
  RowFacts& operator+=(const RowFacts& other);

  /// Returns how far the highest number leads, in units of the lead that it has among as many normal random numbers:
  /// about 1 for embeddings, 1.9 to 3.5 for trained classifiers (decisions/outputs.md).
  [[nodiscard]] double mean_lead() const { return rows > 0 ? lead / static_cast<double>(rows) : 0; }
  /// Returns the same of the lowest number.
  [[nodiscard]] double mean_trough() const { return rows > 0 ? trough / static_cast<double>(rows) : 0; }
  /// Returns the power of the rows' sums over that of sums of independent numbers: about 1 for those, below 0.1 for
  /// logits trained with a Softmax and weight decay, whose sum tells nothing.
  [[nodiscard]] double sum_power() const { return squares > 0 ? sums / squares : 1; }
  /// Returns the correlation of neighbours in a row: about 0 where their order means nothing.
  [[nodiscard]] double neighbour_correlation() const { return spread > 0 ? likeness / spread : 0; }
  /// True where most rows have a clear highest number.
  [[nodiscard]] bool tells_classes() const { return rows > 0 && 2 * undecided <= rows; }
};

}  // namespace detent
