#pragma once

#include <string>
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

/// An axis over [low, high] with `margin` of the extent added on each side; one that has an extent even when low == high.
[[nodiscard]] Axis padded_axis(double low, double high, double margin);

/// SVG texts under the ticks at height y, the outermost ones turned inwards so that none is cut off.
/// text  of a tick; an axis of logarithms has it turn them back.
[[nodiscard]] std::string tick_labels(const Axis& axis, const std::vector<double>& ticks, int y,
                                      std::string (*text)(double) = number_text);

}  // namespace detent::html
