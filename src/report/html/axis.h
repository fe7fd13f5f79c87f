#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "report/html/numbers.h"

namespace detent::html {

/// A linear axis over [low, high], low < high.
struct Axis {
  double low = 0, high = 1;

  /// Returns the position of x: 0 at the low end, 1 at the high end, beyond these outside.
  [[nodiscard]] double at(double x) const { return (x - low) / (high - low); }
  /// Returns multiples of 1, 2 or 5 times a power of ten inside the axis, about `count` of them, ascending.
  [[nodiscard]] std::vector<double> ticks(int count) const;
};

/// Returns an axis over [low, high] with `margin` of the extent added on each side; also for low == high.
[[nodiscard]] Axis padded_axis(double low, double high, double margin);
/// Returns a padded axis over the finite values.
[[nodiscard]] Axis axis_around(const std::vector<double>& values, double margin);

/// Ends of an axis for finite values. Bad outliers, more than 8 times as far from the best value as the median, lie
/// beyond the axis, so that they do not push the others together.
struct Extent {
  double low = 0, high = 0;  ///< low > high: there is no finite value
  bool cut = false;          ///< some value lies beyond
};
enum class Bad { Low, High };
[[nodiscard]] Extent extent_of(std::vector<double> values, Bad bad);

/// Returns an arrowhead at that end of an SVG as wide as the axis, for a value beyond it. `height` is an attribute with
/// the position of its middle: "y=\"50%\"".
[[nodiscard]] std::string beyond_mark(Bad end, std::string_view height);

/// Returns SVG texts under the ticks at height y. The outermost are turned inwards so that none is cut off; the others
/// have the class "inner", every second of them "odd", which narrow screens leave out.
/// text  of a tick; an axis of logarithms converts back in it.
[[nodiscard]] std::string tick_labels(const Axis& axis, const std::vector<double>& ticks, int y,
                                      std::string (*text)(double) = number_text);

/// Returns the tick labels as the head of a column of charts.
[[nodiscard]] std::string scale_head(const Axis& axis, const std::vector<double>& ticks,
                                     std::string (*text)(double) = number_text);
/// Returns a vertical line through a chart in a row of a table.
[[nodiscard]] std::string vertical_line(std::string_view kind, const Axis& axis, double value);
/// Returns a horizontal line between two values.
[[nodiscard]] std::string gain_line(const Axis& axis, double from, double to);
[[nodiscard]] std::string dot_mark(std::string_view kind, const Axis& axis, double value, std::string_view radius);
/// Returns a dot on a line, an arrowhead for a value beyond it, and a dotted line at `reference` unless it is NaN.
[[nodiscard]] std::string position_chart(const Axis& axis, double value,
                                         double reference = std::numeric_limits<double>::quiet_NaN());

/// Returns an entry of a chart's key. `shape` is an SVG of 12 by 12 pixels.
[[nodiscard]] std::string key_entry(std::string_view shape, std::string_view text);
/// Returns the key of a chart.
[[nodiscard]] std::string chart_key(const std::string& entries);
inline constexpr std::string_view kReferenceShape = "<line class=\"reference\" x1=\"6\" x2=\"6\" y1=\"0\" y2=\"12\"/>";

}  // namespace detent::html
