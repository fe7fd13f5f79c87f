#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/html/numbers.h"

namespace detent::html {

/// A linear axis over [low, high], low < high.
struct Axis {
  double low = 0, high = 1;

  /// Where x lies, 0 at the low end and 1 at the high end; outside beyond the ends.
  [[nodiscard]] double at(double x) const { return (x - low) / (high - low); }
  /// Multiples of 1, 2 or 5 times a power of ten inside the axis, about `count` of them, ascending.
  [[nodiscard]] std::vector<double> ticks(int count) const;
};

/// An axis over [low, high] with `margin` of the extent added on each side; one that has an extent even when low ==
/// high.
[[nodiscard]] Axis padded_axis(double low, double high, double margin);

/// The ends of an axis for `values`, of which those that are not finite are left out. Values so far off on the `bad`
/// side that the better half would fall on one spot, more than 8 times as far from the best as the median is, lie
/// beyond; the axis ends with the worst of the others.
struct Extent {
  double low = 0, high = 0;  ///< low > high: there is no finite value
  bool cut = false;          ///< some value lies beyond
};
enum class Bad { Low, High };
[[nodiscard]] Extent extent_of(std::vector<double> values, Bad bad);

/// An arrowhead at that end of an SVG as wide as the axis: a value lies beyond it.
/// height  where its middle is, as an attribute: "y=\"50%\"".
[[nodiscard]] std::string beyond_mark(Bad end, std::string_view height);

/// SVG texts under the ticks at height y, the outermost ones turned inwards so that none is cut off.
/// Those between the outermost have the class "inner", every other of them "odd": narrow screens leave them out.
/// text  of a tick; an axis of logarithms has it turn them back.
[[nodiscard]] std::string tick_labels(const Axis& axis, const std::vector<double>& ticks, int y,
                                      std::string (*text)(double) = number_text);

}  // namespace detent::html
