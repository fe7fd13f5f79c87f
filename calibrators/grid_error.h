#pragma once

#include <cstddef>
#include <vector>

#include "calibrators/signed_bins.h"

namespace detent {

/// Integer grid in units of the bin width: code q stands for (q - zero_point) * scale, lowest <= q <= highest.
struct Grid {
  double scale = 1;
  int zero_point = 0;
  int lowest = 0;
  int highest = 127;
};

/// Total squared error of rounding binned data to a grid, the data of a bin being spread evenly over it.
///
/// With p(x) the resulting density, the codes' cells cut the axis at the midpoints between neighbours, and a cell around r
/// costs the integral of (x - r)^2 p(x) = M2 - 2 r M1 + r^2 M0, M0..M2 being differences of running integrals of p, xp
/// and x^2 p. Zeros cost nothing, as 0 is always on the grid.
class GridError {
 public:
  explicit GridError(const SignedBins& bins);

  /// In squared bin widths, summed over the elements. Cost O(codes). scale > 0.
  [[nodiscard]] double operator()(const Grid& grid) const;

 private:
  struct Moments {
    double mass = 0, first = 0, second = 0;
  };
  /// Integrals from the first bin up to x, in bins from 0.
  [[nodiscard]] Moments up_to(double x) const;

  std::vector<double> counts_;
  std::vector<Moments> sums_;  // up to the left edge of bin i
  double origin_;              // left edge of bin 0
};

}  // namespace detent
