#include "report/html/scale.h"

#include <algorithm>
#include <cmath>

#include "report/html/parts.h"
#include "report/html/words.h"

namespace detent::html {

namespace {

using document::Grid;
using Form = document::Scale::Form;

constexpr double kMargin = 0.06;     // of the axis, on each side
constexpr int kTicks = 3;            // about so many on a scale
constexpr double kLeastRatio = 1.5;  // that a logarithmic axis ends with

/// Returns the logarithms of 1, 1.5, 2, 3 ..., of 1, 2, 5 ..., of 1, 3, 10 ... or of powers of ten, as they fit.
std::vector<double> logarithmic_ticks(const Axis& axis) {
  std::vector<double> steps{1};
  if (axis.high < 0.65)
    steps = {1, 1.5, 2, 3};
  else if (axis.high < 1.15)
    steps = {1, 2, 5};
  else if (axis.high < 2.6)
    steps = {1, 3};
  std::vector<double> ticks;
  for (int power = 0; power <= axis.high; ++power)
    for (const double step : steps)
      if (const double tick = power + std::log10(step); tick <= axis.high) ticks.push_back(tick);
  return ticks;
}

}  // namespace

ScaleDrawing::ScaleDrawing(const Grid& table) : scale_(*table.scale) {
  std::vector<double> values;
  if (std::isfinite(scale_.reference)) values.push_back(placed(scale_.reference));
  for (const auto& row : table.rows)
    for (const auto& cell : row.cells)
      for (const double mark : cell.marks) values.push_back(placed(mark));
  if (scale_.form == Form::Bar) {
    const auto most = std::ranges::max_element(values);
    axis_ = {0, most == values.end() || *most <= 0 ? 1 : *most};
  } else if (scale_.logarithmic) {
    const double high = axis_around(values, 0).high;
    axis_ = {0, (1 + kMargin) * std::max(std::log10(kLeastRatio), high)};
    ticks_ = logarithmic_ticks(axis_);
  } else {
    const Extent extent = extent_of(values, scale_.low_is_bad ? Bad::Low : Bad::High);
    axis_ = padded_axis(extent.low, extent.high, kMargin);
    cut_ = extent.cut;
    ticks_ = axis_.ticks(kTicks);
  }
}

double ScaleDrawing::placed(double value) const { return scale_.logarithmic ? std::log10(value) : value; }

std::string ScaleDrawing::head() const {
  if (scale_.form != Form::Dots) return {};
  if (!scale_.logarithmic) return scale_head(axis_, ticks_);
  return scale_head(axis_, ticks_, [](double tick) { return number_text(std::pow(10, tick)); });
}

std::string ScaleDrawing::chart(const std::vector<double>& marks) const {
  if (marks.empty() && scale_.form != Form::Position) return {};
  if (scale_.form == Form::Dots) return dots(marks);
  if (scale_.form == Form::Position)
    return position_chart(axis_, marks.empty() ? NAN : marks.front(), scale_.reference);
  return "<svg class=\"share\" height=\"10\" aria-hidden=\"true\"><rect class=\"part\" width=\"" +
         percentage(axis_.at(marks.front())) + "\" height=\"100%\"/></svg>";
}

std::string ScaleDrawing::dots(const std::vector<double>& marks) const {
  std::string svg = "<svg class=\"dots\" height=\"100%\" aria-hidden=\"true\">";
  for (const double tick : ticks_) svg += vertical_line("grid", axis_, tick);
  const bool referred = std::isfinite(scale_.reference);
  if (referred) svg += vertical_line("reference", axis_, placed(scale_.reference));
  const double from = placed(referred ? scale_.reference : marks.front());
  const size_t to = referred ? 0 : 1;
  if (to < marks.size() && std::isfinite(marks[to])) svg += gain_line(axis_, from, placed(marks[to]));
  for (size_t i = 0; i < std::min(marks.size(), scale_.series.size()); ++i) {
    if (std::isnan(marks[i])) continue;
    const double at = axis_.at(placed(marks[i]));
    const bool small = i + 1 < scale_.series.size();  // the last series lies above the others
    if (at < 0 || at > 1)
      svg += beyond_mark(at < 0 ? Bad::Low : Bad::High, "y=\"50%\"");
    else
      svg += dot_mark(scale_.series[i].look, axis_, placed(marks[i]), small ? "3.5" : "4.5");
  }
  return svg + "</svg>";
}

std::string ScaleDrawing::key() const {
  std::string entries;
  for (size_t i = 0; i < scale_.series.size(); ++i)
    if (!scale_.series[i].meaning.empty())
      entries += key_entry("<circle class=\"" + scale_.series[i].look + "\" cx=\"6\" cy=\"6\" r=\"" +
                               (i + 1 < scale_.series.size() ? "3.5" : "4.5") + "\"/>",
                           markup(scale_.series[i].meaning));
  if (std::isfinite(scale_.reference) && !scale_.reference_meaning.empty())
    entries += key_entry(kReferenceShape, markup(scale_.reference_meaning));
  if (cut_) entries += "<span>An arrowhead marks a value far beyond the end of the axis.</span>";
  return entries.empty() ? entries : chart_key(entries);
}

}  // namespace detent::html
