#include "tune/refine/round_by_moments.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace detent {

namespace {

using Matrix = Eigen::MatrixXf;
using Eigen::Index;

/// The Cholesky factor of the damped moments, their columns ordered so that the first to be rounded is the last.
class Factor {
 public:
  explicit Factor(const SecondMoments& moments) : order_(static_cast<size_t>(moments.columns())) {
    const Index n = moments.columns();
    const Eigen::Map<const Matrix> sums(moments.lower().data(), n, n);
    const double mean = sums.diagonal().cast<double>().sum() / static_cast<double>(std::max<Index>(n, 1));
    if (!std::isfinite(mean) || mean <= 0) return;
    std::iota(order_.begin(), order_.end(), Index{0});
    std::ranges::stable_sort(order_, [&](Index a, Index b) { return sums(a, a) < sums(b, b); });
    constexpr double kDamping = 0.01;
    lower_.resize(n, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i) {
        const Index a = at(i), b = at(j);
        lower_(i, j) = a >= b ? sums(a, b) : sums(b, a);
      }
    lower_.diagonal().array() += static_cast<float>(kDamping * mean);
    Eigen::LLT<Eigen::Ref<Matrix>> decomposition(lower_);
    usable_ = decomposition.info() == Eigen::Success;
  }

  /// False: there is nothing to round by.
  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] const Matrix& lower() const { return lower_; }
  /// The column that stands at place i of the factor.
  [[nodiscard]] Index at(Index i) const { return order_[static_cast<size_t>(i)]; }

 private:
  std::vector<Index> order_;
  Matrix lower_;
  bool usable_ = false;
};

class Rounding {
 public:
  Rounding(const WeightRows& rows, const CodeGrid& grid)
      : rows_(rows), grid_(rows.any_code ? grid : grid.symmetric()), result_(rows.weights.size()) {
    for (size_t i = 0; i < result_.size(); ++i) result_[i] = grid_.nearest(rows.weights[i], rows.scales[i]);
  }

  /// From the last place of the factor to the first, kBlock at a time: what a block owes to those behind it is one product.
  void round_by(const Factor& factor) {
    const Index n = rows_.columns;
    Matrix errors = Matrix::Zero(rows_.rows, n);  // by place
    for (Index end = n; end > 0; end = std::max<Index>(0, end - kBlock)) {
      const Index begin = std::max<Index>(0, end - kBlock), size = end - begin;
      Matrix owed = errors.rightCols(n - end) * factor.lower().block(end, begin, n - end, size);
      for (Index i = end - 1; i >= begin; --i) {
        const Index within = end - 1 - i;
        owed.col(i - begin) += errors.middleCols(i + 1, within) * factor.lower().col(i).segment(i + 1, within);
        round_column(factor.at(i), owed.col(i - begin) / factor.lower()(i, i), errors.col(i));
      }
    }
  }

  [[nodiscard]] std::vector<float> take() { return std::move(result_); }

 private:
  static constexpr Index kBlock = 64;

  void round_column(Index column, const Eigen::VectorXf& owed, Eigen::Ref<Eigen::VectorXf> errors) {
    for (Index r = 0; r < rows_.rows; ++r) {
      const auto i = static_cast<size_t>(r * rows_.columns + column);
      const float weight = rows_.weights[i], scale = rows_.scales[i];
      if (rows_.any_code || std::abs(result_[i]) != grid_.largest())
        result_[i] = grid_.nearest(weight + owed[r], scale);
      errors[r] = weight - result_[i] * scale;
    }
  }

  const WeightRows& rows_;
  CodeGrid grid_;
  std::vector<float> result_;
};

}  // namespace

std::vector<float> round_by_moments(const WeightRows& rows, const CodeGrid& grid, const SecondMoments& moments) {
  Rounding rounding(rows, grid);
  if (const Factor factor(moments); factor.usable()) rounding.round_by(factor);
  return rounding.take();
}

}  // namespace detent
