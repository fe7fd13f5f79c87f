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
/// With p(x) the resulting density, x >= 0 and the cells of the codes 0 = v0 < v1 < ... meeting at the midpoints b1 <
/// b2 < ..., each midpoint below x takes 2 (v_k - v_(k-1)) (x - b_k) from x^2, which leaves (x - v)^2. Summed over the
/// data: the second moment less 2 (v_k - v_(k-1)) R(b_k) for each k, where R(b) is the integral of (x - b) p(x) beyond
/// b. The negative side is its mirror image. Zeros cost nothing, as 0 is always on the grid.
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
  [[nodiscard]] double second_moment() const { return below_.beyond(0).square + above_.beyond(0).square; }
  /// Bounds how far rounding takes operator() from the exact integral, for grids that reach less than twice as far from
  /// 0 as the bins: below 2^-36 of (grid or bin edge furthest from 0)^2 for each element, as a bin enters three sums
  /// with a few roundings and there are at most 8192 bins and 256 cells.
  [[nodiscard]] double rounding() const;

 private:
  /// Integrals of p(x), (x - b) p(x) and (x - b)^2 p(x) beyond b.
  struct Integrals {
    double mass = 0, ramp = 0, square = 0;
  };
  /// The bins on one side of 0, from 0 outwards.
  class Side {
   public:
    explicit Side(const std::vector<double>& counts);
    [[nodiscard]] double reach() const { return static_cast<double>(bins_.size()); }
    [[nodiscard]] Integrals beyond(double x) const;
    /// Returns the sum of the ramps beyond 0.5, 1.5 ... count - 0.5 times `scale`.
    [[nodiscard]] double sum_of_ramps(double scale, int count) const;

   private:
    struct Bin {
      Integrals outer;  // beyond its outer edge
      double count = 0;
    };
    std::vector<Bin> bins_;
  };

  [[nodiscard]] double mass() const { return below_.beyond(0).mass + above_.beyond(0).mass; }
  [[nodiscard]] double fine_error(const Grid& grid) const;

  Side below_, above_;
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
