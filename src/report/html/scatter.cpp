#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/html/axis.h"
#include "report/html/document.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/words.h"

namespace detent::html {

namespace {

using document::Scatter;
using Point = Scatter::Point;

constexpr int kPlotHeight = 240;      // in CSS pixels
constexpr int kPlotAxisHeight = 40;   // below it: ticks and title
constexpr double kPlotMargin = 0.08;  // of the axes, on each side
constexpr double kFinitePart = 0.86;  // of the width, where some point stands at infinity
constexpr double kInfinityAt = 0.93;  // of the width
constexpr double kLabelWidth = 0.25;  // of the width, that a label may take
constexpr double kLabelApart = 16;    // pixels between the heights of labels

bool is_drawn(const Point& point) { return !std::isnan(point.x) && std::isfinite(point.y); }

/// A plot with its axes. The x axis ends where points at infinity begin.
class PlotAxes {
 public:
  explicit PlotAxes(const Scatter& plot) {
    std::vector<double> xs, ys{plot.reference};
    for (const Point& point : plot.points) {
      if (!is_drawn(point)) continue;
      xs.push_back(point.x), ys.push_back(point.y);
      infinite_ = infinite_ || std::isinf(point.x);
      finite_ = finite_ || std::isfinite(point.x);
    }
    x_ = axis_around(xs, kPlotMargin), y_ = axis_around(ys, kPlotMargin);
    if (finite_) x_ticks_ = x_.ticks(5);
    if (infinite_) x_.high = x_.low + (x_.high - x_.low) / kFinitePart;
  }

  [[nodiscard]] double x(double value) const { return std::isinf(value) ? kInfinityAt : x_.at(value); }
  [[nodiscard]] double y(double value) const { return kPlotHeight * (1 - y_.at(value)); }
  [[nodiscard]] std::string grid(const Scatter& plot) const {
    std::string svg;
    for (const double tick : y_.ticks(4))
      svg += fmt::format(
          "<line class=\"grid\" x2=\"100%\" y1=\"{0:.0f}\" y2=\"{0:.0f}\"/><text x=\"-8\" y=\"{0:.0f}\" dy=\".32em\" "
          "text-anchor=\"end\">{1}</text>",
          y(tick), number_text(tick));
    svg += tick_labels(x_, x_ticks_, kPlotHeight + 17);
    if (infinite_)
      svg += fmt::format(
          "<line class=\"edge\" x1=\"{0}\" x2=\"{0}\" y2=\"{1}\"/><text x=\"{2}\" y=\"{3}\" "
          "text-anchor=\"middle\">{4}</text>",
          percentage(kFinitePart), kPlotHeight, percentage(kInfinityAt), kPlotHeight + 17, markup(plot.at_infinity));
    return svg + fmt::format(
                     "<line class=\"base\" x2=\"100%\" y1=\"{0}\" y2=\"{0}\"/><text x=\"100%\" y=\"{1}\" "
                     "text-anchor=\"end\">{2}</text><text x=\"-8\" y=\"-10\" text-anchor=\"end\">{3}</text>",
                     kPlotHeight, kPlotHeight + 34, markup(plot.x_title), markup(plot.y_title));
  }

 private:
  Axis x_, y_;
  std::vector<double> x_ticks_;
  bool finite_ = false, infinite_ = false;
};

std::string point_svg(const Point& point, const PlotAxes& axes) {
  return fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{:.1f}\" r=\"{}\"><title>{}</title></circle>",
                     point.marked ? "after" : "before", percentage(axes.x(point.x)), axes.y(point.y),
                     point.marked ? "6" : "4.5", markup(point.words));
}

/// Draws labels, of marked points first, unless one would cover another.
std::string point_labels(const std::vector<Point>& points, const PlotAxes& axes) {
  std::string svg;
  std::vector<std::pair<double, double>> taken;
  for (const bool marked : {true, false})
    for (const Point& point : points) {
      if (point.marked != marked || point.label.empty() || !is_drawn(point)) continue;
      const double x = axes.x(point.x), y = axes.y(point.y);
      const bool covers = std::ranges::any_of(taken, [&](const auto& other) {
        return std::abs(x - other.first) < kLabelWidth && std::abs(y - other.second) < kLabelApart;
      });
      if (covers) continue;
      taken.emplace_back(x, y);
      const bool left = x > 0.6;  // a label on the right would leave the plot
      svg += fmt::format("<text class=\"name\" x=\"{}\" dx=\"{}\" y=\"{:.1f}\" dy=\".32em\"{}>{}</text>", percentage(x),
                         left ? "-10" : "10", y, left ? " text-anchor=\"end\"" : "", markup(point.label));
    }
  return svg;
}

std::string scatter_key(const Scatter& plot) {
  std::string entries;
  if (std::ranges::any_of(plot.points, &Point::marked))
    entries += key_entry("<circle class=\"after\" cx=\"6\" cy=\"6\" r=\"5\"/>", markup(plot.mark));
  entries += key_entry("<circle class=\"before\" cx=\"6\" cy=\"6\" r=\"4.5\"/>", markup(plot.others));
  if (std::isfinite(plot.reference))
    entries +=
        key_entry("<line class=\"reference\" x1=\"0\" x2=\"12\" y1=\"6\" y2=\"6\"/>", markup(plot.reference_meaning));
  return chart_key(entries);
}

}  // namespace

std::string drawing_markup(const Scatter& plot) {
  if (std::ranges::none_of(plot.points, is_drawn)) return {};
  const PlotAxes axes(plot);
  std::string svg = fmt::format("<svg class=\"points plot\" role=\"img\" aria-label=\"{}\" height=\"{}\">{}",
                                escape(plot.label), kPlotHeight + kPlotAxisHeight, axes.grid(plot));
  if (std::isfinite(plot.reference))
    svg += fmt::format("<line class=\"reference\" x2=\"100%\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>", axes.y(plot.reference));
  for (const bool marked : {false, true})  // marked points lie above the others
    for (const Point& point : plot.points)
      if (is_drawn(point) && point.marked == marked) svg += point_svg(point, axes);
  return scatter_key(plot) + svg + point_labels(plot.points, axes) + "</svg>";
}

}  // namespace detent::html
