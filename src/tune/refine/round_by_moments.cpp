#include "tune/refine/round_by_moments.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace detent {

void SecondMoments::add(std::span<const float> vectors) {
  if (vectors.empty()) return;
  // Row-major vectors are the columns of a column-major matrix.
  const Eigen::Map<const Eigen::MatrixXf> x(vectors.data(), columns_,
                                            static_cast<Eigen::Index>(vectors.size()) / columns_);
  Eigen::Map<Eigen::MatrixXf>(sums_.data(), columns_, columns_).selfadjointView<Eigen::Lower>().rankUpdate(x);
}

namespace {

using Matrix = Eigen::MatrixXf;
using Eigen::Index;

class Rounding {
 public:
  Rounding(const WeightRows& rows, const CodeGrid& grid)
      : rows_(rows), grid_(rows.any_code ? grid : grid.symmetric()), result_(rows.weights.size()),
        done_(static_cast<size_t>(rows.columns), false), costs_(static_cast<size_t>(rows.rows), 0.0) {
    for (size_t i = 0; i < result_.size(); ++i) result_[i] = grid_.nearest(rows.weights[i], rows.scales[i]);
    make_safe();
    if (!rows.neighbours.empty()) bounds_ = result_;
    for (Index r = 0; r < rows.rows; ++r)
      for (Index c = 0; c < rows.columns; ++c) {
        const auto i = static_cast<size_t>(r * rows.columns + c);
        const double error = static_cast<double>(rows.weights[i]) - static_cast<double>(result_[i] * rows.scales[i]);
        costs_[static_cast<size_t>(r)] += error * error;
      }
  }

  /// Rounds from the last place of the factor to the first, kBlock at a time: the errors of a block reach the columns
  /// behind it in one product.
  template <class Factor>
  void round_by(const Factor& factor) {
    const Index n = rows_.columns;
    std::ranges::fill(costs_, 0.0);
    Matrix errors = Matrix::Zero(rows_.rows, n);  // by place
    for (Index end = n; end > 0; end = std::max<Index>(0, end - kBlock)) {
      const Index begin = std::max<Index>(0, end - kBlock), size = end - begin;
      Matrix owed = errors.rightCols(n - end) * factor.lower().block(end, begin, n - end, size);
      for (Index i = end - 1; i >= begin; --i) {
        const Index within = end - 1 - i;
        owed.col(i - begin) += errors.middleCols(i + 1, within) * factor.lower().col(i).segment(i + 1, within);
        round_column(factor.at(i), owed.col(i - begin), factor.lower()(i, i), errors.col(i));
      }
    }
  }

  [[nodiscard]] RoundedRows take() { return {std::move(result_), std::move(costs_)}; }

 private:
  static constexpr Index kBlock = 64;
  static constexpr float kMostOfPair = 128;  // is_safe_pair()

  void round_column(Index column, const Eigen::VectorXf& owed, float diagonal, Eigen::Ref<Eigen::VectorXf> errors) {
    for (Index r = 0; r < rows_.rows; ++r) {
      const auto i = static_cast<size_t>(r * rows_.columns + column);
      const float weight = rows_.weights[i], scale = rows_.scales[i], wanted = weight + owed[r] / diagonal;
      if (rows_.any_code || std::abs(result_[i]) != grid_.largest()) result_[i] = grid_.nearest(wanted, scale);
      if (!rows_.neighbours.empty()) keep_safe(r, column);
      errors[r] = weight - result_[i] * scale;
      const double cost = static_cast<double>(diagonal) * static_cast<double>(wanted - result_[i] * scale);
      costs_[static_cast<size_t>(r)] += cost * cost;
    }
    done_[static_cast<size_t>(column)] = true;
  }

  [[nodiscard]] size_t neighbour_of(Index row, Index column) const {
    return static_cast<size_t>(row * rows_.columns + rows_.neighbours[static_cast<size_t>(column)]);
  }

  /// Keeps a pair of codes safe: the first to be rounded leaves its neighbour the share of make_safe(), the second
  /// takes the rest.
  void keep_safe(Index row, Index column) {
    const int64_t other = rows_.neighbours[static_cast<size_t>(column)];
    if (other < 0) return;
    const auto i = static_cast<size_t>(row * rows_.columns + column);
    const size_t j = neighbour_of(row, column);
    const float beside = done_[static_cast<size_t>(other)] ? result_[j] : bounds_[j];
    result_[i] = std::clamp(result_[i], -kMostOfPair - std::min(beside, 0.0F), kMostOfPair - std::max(beside, 0.0F));
  }

  /// Reduces both codes of an unsafe pair by the excess, in equal parts.
  void make_safe() {
    for (Index c = 0; c < static_cast<Index>(rows_.neighbours.size()); ++c) {
      if (rows_.neighbours[static_cast<size_t>(c)] <= c) continue;
      for (Index r = 0; r < rows_.rows; ++r) {
        float &a = result_[static_cast<size_t>(r * rows_.columns + c)], &b = result_[neighbour_of(r, c)];
        if (a * b <= 0) continue;
        const float excess = std::abs(a) + std::abs(b) - kMostOfPair;
        if (excess <= 0) continue;
        const float half = std::min(std::floor(excess / 2), std::abs(b) - 1);
        b -= std::copysign(half, b);
        a -= std::copysign(excess - half, a);
      }
    }
  }

  const WeightRows& rows_;
  CodeGrid grid_;
  std::vector<float> result_;
  std::vector<float> bounds_;  // with neighbours: codes whose pairs are safe
  std::vector<bool> done_;
  std::vector<double> costs_;
};

}  // namespace

/// The Cholesky factor of the damped moments. The first column to be rounded is the last of the factor.
class RowRounding::Factor {
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

  /// False when the moments are zero or not finite.
  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] const Matrix& lower() const { return lower_; }
  /// Returns the column at place i of the factor.
  [[nodiscard]] Index at(Index i) const { return order_[static_cast<size_t>(i)]; }

 private:
  std::vector<Index> order_;
  Matrix lower_;
  bool usable_ = false;
};

RowRounding::RowRounding(const SecondMoments& moments) : factor_(std::make_unique<const Factor>(moments)) {}
RowRounding::~RowRounding() = default;

RoundedRows RowRounding::round(const WeightRows& rows, const CodeGrid& grid) const {
  Rounding rounding(rows, grid);
  if (factor_->usable()) rounding.round_by(*factor_);
  return rounding.take();
}

std::vector<float> round_by_moments(const WeightRows& rows, const CodeGrid& grid, const SecondMoments& moments) {
  return RowRounding(moments).round(rows, grid).numbers;
}

}  // namespace detent
