#include "tune/refine/second_moments.h"

#include <Eigen/Core>

namespace detent {

void SecondMoments::add(std::span<const float> vectors) {
  if (vectors.empty()) return;
  // Row-major vectors are the columns of a column-major matrix.
  const Eigen::Map<const Eigen::MatrixXf> x(vectors.data(), columns_,
                                            static_cast<Eigen::Index>(vectors.size()) / columns_);
  Eigen::Map<Eigen::MatrixXf>(sums_.data(), columns_, columns_).selfadjointView<Eigen::Lower>().rankUpdate(x);
}

}  // namespace detent
