#include "tune/weights/fit_blocks.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "detent/base/qparams.h"

namespace detent {

namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXf;

constexpr int kRefits = 3;

/// The columns of a weight that cost least so far.
class Fit {
 public:
  Fit(const Tensor& weight, const BlockedWeight& nearest, const BlockFormat& format, const SecondMoments& moments)
      : format_(format), moments_(moments), rows_(weight.shape()[0]), columns_(weight.shape()[1]),
        size_(rows_in_block(format, rows_)), best_(nearest) {
    const Tensor wide = cast(weight, DataType::Float32);
    weights_ = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        wide.data<float>().data(), rows_, columns_);
    const Eigen::Map<const Matrix> sums(moments.lower().data(), rows_, rows_);
    h_ = sums.selfadjointView<Eigen::Lower>();
    constexpr float kDamping = 0.01F;
    h_.diagonal().array() += kDamping * sums.diagonal().mean();
    cost_ = costs(nearest);
  }

  /// False when the moments are zero or not finite.
  [[nodiscard]] bool usable() const { return rows_ > 0 && h_.allFinite() && h_.diagonal().maxCoeff() > 0; }
  [[nodiscard]] std::vector<float> importance() const { return {h_.diagonal().begin(), h_.diagonal().end()}; }
  [[nodiscard]] const BlockedWeight& best() const { return best_; }

  /// Rounds all columns to codes for the scales of `start` and keeps the columns that gain; true when one does.
  bool round(const BlockedWeight& start) {
    const Tensor scales = cast(start.scales, DataType::Float32);
    const auto scale_of = scales.data<float>();
    WeightRows rows{.rows = columns_, .columns = rows_, .weights = {}, .scales = {}, .any_code = true};
    rows.weights.resize(static_cast<size_t>(rows_ * columns_));
    rows.scales.resize(rows.weights.size());
    for (Index n = 0; n < columns_; ++n)
      for (Index k = 0; k < rows_; ++k) {
        const auto i = static_cast<size_t>(n * rows_ + k);
        rows.weights[i] = weights_(k, n);
        rows.scales[i] = scale_of[static_cast<size_t>(k / size_ * columns_ + n)];
      }
    const std::vector<float> chosen = round_by_moments(rows, CodeGrid(code_range(format_.codes)), moments_);
    std::vector<int32_t> codes(chosen.size());
    for (Index n = 0; n < columns_; ++n)
      for (Index k = 0; k < rows_; ++k)
        codes[static_cast<size_t>(k * columns_ + n)] = static_cast<int32_t>(chosen[static_cast<size_t>(n * rows_ + k)]);
    return keep_better(with_codes(start, codes));
  }

  /// Returns the best codes with the scales that fit them.
  [[nodiscard]] BlockedWeight refitted() const {
    const Matrix product = h_ * weights_;
    const Index blocks = (rows_ + size_ - 1) / size_;
    const Eigen::Map<const Eigen::Matrix<int8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> codes(
        best_.codes.data<int8_t>().data(), rows_, columns_);
    Tensor scales = cast(best_.scales, DataType::Float32).clone();
    const auto scale_of = scales.mutable_data<float>();
    Matrix gathered(blocks, rows_);
    for (Index n = 0; n < columns_; ++n) {
      const Eigen::VectorXf code = codes.col(n).cast<float>();
      // G = Q^T H Q and r = Q^T H w, where column b of Q holds the codes of block b.
      for (Index b = 0; b < blocks; ++b)
        gathered.row(b) = (h_.middleCols(b * size_, length(b)) * code.segment(b * size_, length(b))).transpose();
      Eigen::MatrixXd g(blocks, blocks);
      Eigen::VectorXd r(blocks);
      for (Index b = 0; b < blocks; ++b) {
        r[b] = code.segment(b * size_, length(b)).dot(product.col(n).segment(b * size_, length(b)));
        for (Index c = 0; c < blocks; ++c)
          g(c, b) = gathered.row(c).segment(b * size_, length(b)).dot(code.segment(b * size_, length(b)));
      }
      const Eigen::VectorXd fitted = g.ldlt().solve(r);
      for (Index b = 0; b < blocks; ++b) {
        float& scale = scale_of[static_cast<size_t>(b * columns_ + n)];
        // A scale that moves by a factor of two or more means that the codes determine it badly: it stays.
        const auto wanted = static_cast<float>(fitted[b]);
        if (wanted > 0.5F * scale && wanted < 2 * scale)
          if (const float near = scale_in(format_.scales, wanted); near > 0) scale = near;
      }
    }
    return {best_.codes, cast(scales, format_.scales)};
  }

  /// Takes the columns of `other` that cost less.
  bool keep_better(const BlockedWeight& other) {
    const Eigen::VectorXf cost = costs(other);
    Tensor codes = best_.codes.clone(), scales = best_.scales.clone();
    const size_t width = byte_size(scales.type());
    bool gains = false;
    for (Index n = 0; n < columns_; ++n) {
      if (!(cost[n] < cost_[n])) continue;
      cost_[n] = cost[n];
      gains = true;
      copy_column(other.codes, codes, n, 1);
      copy_column(other.scales, scales, n, width);
    }
    if (gains) best_ = {std::move(codes), std::move(scales)};
    return gains;
  }

 private:
  [[nodiscard]] Index length(Index block) const { return std::min<Index>(size_, rows_ - block * size_); }

  [[nodiscard]] Eigen::VectorXf costs(const BlockedWeight& blocked) const {
    const Tensor back = dequantize_blocks(blocked, format_);
    const Matrix errors =
        weights_ - Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
                       back.data<float>().data(), rows_, columns_);
    return (h_ * errors).cwiseProduct(errors).colwise().sum();
  }

  void copy_column(const Tensor& from, Tensor& to, Index column, size_t width) const {
    const auto* in = static_cast<const std::byte*>(from.raw());
    auto* out = static_cast<std::byte*>(to.mutable_raw());
    const Index count = from.element_count() / columns_;
    for (Index row = 0; row < count; ++row) {
      const size_t at = static_cast<size_t>(row * columns_ + column) * width;
      std::copy_n(in + at, width, out + at);
    }
  }

  const BlockFormat& format_;
  const SecondMoments& moments_;
  Index rows_, columns_, size_;
  BlockedWeight best_;
  Matrix weights_, h_;
  Eigen::VectorXf cost_;
};

}  // namespace

BlockedWeight fit_blocks(const Tensor& weight, const BlockedWeight& nearest, const BlockFormat& format,
                         const SecondMoments& moments) {
  BlockFormat own = format;
  own.scales = nearest.scales.type();
  Fit fit(weight, nearest, own, moments);
  if (!fit.usable()) return nearest;
  fit.round(nearest);
  fit.round(quantize_blocks(weight, own, fit.importance()));
  for (int again = 0; again < kRefits; ++again) {
    const BlockedWeight refitted = fit.refitted();
    bool gains = fit.keep_better(refitted);
    gains |= fit.round(refitted);
    if (!gains) break;
  }
  return fit.best();
}

}  // namespace detent
