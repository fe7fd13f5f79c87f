#pragma once

#include <span>
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

/// Total squared error of rounding binned data to a grid; the elements of a bin are spread evenly over it.
///
/// With p(x) the resulting density, the codes' cells cut the axis at the midpoints between neighbours, and a cell
/// around r costs the integral of (x - r)^2 p(x) = M2 - 2 r M1 + r^2 M0, M0..M2 being differences of running integrals
/// of p, xp and x^2 p. Zeros cost nothing, as 0 is always on the grid.
class GridError {
 public:
  explicit GridError(const SignedBins& bins);

  /// Returns the error in squared bin widths, summed over the elements. Cost O(codes). scale > 0. Grids of more than
  /// 1024 codes, whose steps must be at most a quarter of a bin, cost O(1): their cells lie inside bins, where the
  /// density is even, so an element between the ends costs scale^2 / 12. A cell with a bin's edge in it changes that by
  /// at most 0.016 scale^3 times the difference of the two densities.
  [[nodiscard]] double operator()(const Grid& grid) const;
  /// Returns the error where codes stand for these numbers times `scale`, ascending from 0; for bins of magnitudes.
  [[nodiscard]] double operator()(std::span<const double> numbers, double scale) const;

  /// Integral of x^2 p(x).
  [[nodiscard]] double second_moment() const { return sums_.back().second; }
  /// Bounds how far rounding takes operator() from the exact integral, for grids that reach less than twice as far from
  /// 0 as the bins: below 2^-36 of (grid or bin edge furthest from 0)^2 for each element, as a bin enters three sums
  /// with a few roundings and there are at most 8192 bins and 256 cells.
  [[nodiscard]] double rounding() const;

 private:
  [[nodiscard]] double fine_error(const Grid& grid) const;
  struct Moments {
    double mass = 0, first = 0, second = 0;
  };
  /// Integrals from the first bin up to x, in bins from 0.
  [[nodiscard]] Moments up_to(double x) const;

  std::vector<double> counts_;
  std::vector<Moments> sums_;  // up to the left edge of bin i
  double origin_;              // left edge of bin 0
};

/// Derives from the error of one grid that the error of another exceeds a limit, without computing it.
///
/// Let G' be G stretched by t, that is, with the same codes and scale s' = t s. If x rounds to v' on G', v'/t is on
/// G, so d(x, G) <= d(x, G') + |v'| r with r = |1 - 1/t|. In the L2 norm over the data (Minkowski), with E the errors
/// and ||v'|| <= ||x|| + sqrt E':  sqrt E <= (1 + r) sqrt E' + r ||x||.
class StretchBound {
 public:
  explicit StretchBound(const GridError& error);

  /// True only when error(grid) > limit, with all rounding accounted for.
  [[nodiscard]] bool exceeds(const Grid& grid, double limit) const;
  void remember(const Grid& grid, double error);

 private:
  double norm_, rounding_;
  Grid grid_;
  double root_ = 0;  // of the error of grid_; 0 bounds nothing
};

}  // namespace detent
